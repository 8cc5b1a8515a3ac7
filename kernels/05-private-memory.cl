// Lesson 5: private memory, the registers of one work-item.
//
// C[M][N] = A[M][K] * B[K][N], row-major.

#ifndef REAL // the element type, from --type
#define REAL float
#endif

// Sums of one item in matmul_private_sums: that many elements of a column of C.
#ifndef SUMS
#define SUMS 4
#endif

// How many elements of its row an item keeps to itself at a time. A private
// array must have a size that the compiler knows, and K is known only at run
// time: longer rows are taken in pieces.
#ifndef ROW
#define ROW 1024
#endif

// The sum is in global memory: as written, K reads and K + 1 writes of C for
// every element.
kernel void matmul_global_sum(int M, int N, int K,
                              global const REAL *A, // [M][K]
                              global const REAL *B, // [K][N]
                              global REAL *C)       // [M][N]
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    C[row * N + column] = 0;
    for (int k = 0; k < K; k++)
        C[row * N + column] += A[row * K + k] * B[k * N + column];
}

// The sum is in a private variable, which the compiler keeps in a register:
// one write of C, and no reads. In the kernel above a compiler may leave out the
// reads, since nothing else writes that element in between. It must keep the writes:
// as far as it knows A or B might overlap C, and then the next iteration must read
// what this one has written.
kernel void matmul_private_sum(int M, int N, int K,
                               global const REAL *A, // [M][K]
                               global const REAL *B, // [K][N]
                               global REAL *C)       // [M][N]
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    REAL sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + column];
    C[row * N + column] = sum;
}

// Several sums per item: SUMS elements of a column of C. An element of B is loaded
// once and used SUMS times. The array is in registers if it is small, since every
// index into it is a constant once the loops over r are unrolled.
//
// An item at the lower edge of C may own rows that do not exist. It reads the last
// row of A in their place, and does not store those sums.
kernel void matmul_private_sums(int M, int N, int K,
                                global const REAL *A, // [M][K]
                                global const REAL *B, // [K][N]
                                global REAL *C)       // [M][N]
{
    const int column = get_global_id(0);
    const int row0 = get_global_id(1) * SUMS;
    if (row0 >= M || column >= N)
        return;

    REAL sum[SUMS]; // sum[r] belongs to C[row0 + r][column]
    #pragma unroll
    for (int r = 0; r < SUMS; r++)
        sum[r] = 0;

    for (int k = 0; k < K; k++) {
        const REAL b = B[k * N + column];
        #pragma unroll
        for (int r = 0; r < SUMS; r++)
            sum[r] += A[min(row0 + r, M - 1) * K + k] * b;
    }

    #pragma unroll
    for (int r = 0; r < SUMS; r++)
        if (row0 + r < M)
            C[(row0 + r) * N + column] = sum[r];
}

// One item computes a whole row of C: M items instead of M * N, each with N
// times the work. Neighbouring items now read A and write C a row apart.
kernel void matmul_row_per_item(int M, int N, int K,
                                global const REAL *A, // [M][K]
                                global const REAL *B, // [K][N]
                                global REAL *C)       // [M][N]
{
    const int row = get_global_id(0);
    if (row >= M)
        return;

    for (int column = 0; column < N; column++) {
        REAL sum = 0;
        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * B[k * N + column];
        C[row * N + column] = sum;
    }
}

// The item copies its row of A to private memory first and so reads it from
// global memory once instead of N times. No item has a thousand registers, and a
// register cannot be chosen by an index known only at run time: the array lies in
// memory that is private in name only.
kernel void matmul_row_private(int M, int N, int K,
                               global const REAL *A, // [M][K]
                               global const REAL *B, // [K][N]
                               global REAL *C)       // [M][N]
{
    const int row = get_global_id(0);
    if (row >= M)
        return;

    REAL a[ROW]; // A[row][k0 .. k0+length-1]
    for (int k0 = 0; k0 < K; k0 += ROW) {
        const int length = min(ROW, K - k0);
        for (int k = 0; k < length; k++)
            a[k] = A[row * K + k0 + k];

        for (int column = 0; column < N; column++) {
            // The first piece begins the sum, later pieces continue it.
            REAL sum = k0 == 0 ? (REAL)0 : C[row * N + column];
            for (int k = 0; k < length; k++)
                sum += a[k] * B[(k0 + k) * N + column];
            C[row * N + column] = sum;
        }
    }
}
