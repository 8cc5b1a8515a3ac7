// Lesson 3: the naive matrix product, C[M][N] = A[M][K] * B[K][N].
//
// Row-major: element (row, column) of a matrix with W columns is number
// row * W + column, so the elements of a row are neighbours in memory.
// get_global_id(0) varies fastest from item to item and therefore counts
// columns. Lesson 4 shows what the other choice costs.

#ifndef REAL // the element type, from --type
#define REAL float
#endif

// One work-group computes all of C. Local ids count the items within their
// group, from 0 in each dimension: with a single group they name every element.
// With a second group they would name the same elements again.
kernel void matmul_local_ids(int M, int N, int K,
                             global const REAL *A, // [M][K]
                             global const REAL *B, // [K][N]
                             global REAL *C)       // [M][N]
{
    const int column = get_local_id(0); // 0 .. N-1
    const int row = get_local_id(1);    // 0 .. M-1

    REAL sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + column];
    C[row * N + column] = sum;
}

// Global ids count the items of all groups, so any number of groups will do.
// The running sum is where its result belongs, in global memory: each iteration
// reads C, adds to it and writes it back.
kernel void matmul_global_sum(int M, int N, int K,
                              global const REAL *A, // [M][K]
                              global const REAL *B, // [K][N]
                              global REAL *C)       // [M][N]
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N) // an item of a rounded-up NDRange
        return;

    C[row * N + column] = 0;
    for (int k = 0; k < K; k++)
        C[row * N + column] += A[row * K + k] * B[k * N + column];
}

// The kernel that most programs begin with: one element of C per item, the sum
// in a variable of the item's own, one write at the end. Per item it loads K
// elements of A and K of B: 2 * M * N * K loads in all, for M * N stores.
kernel void matmul_naive(int M, int N, int K,
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

// The same for column-major matrices, as Fortran, BLAS and MATLAB keep them:
// the elements of a column are neighbours. The macro hides the layout, so that
// the kernel reads like the formula; `rows` is the length of a column.
#define AT(row, column, rows) ((column) * (rows) + (row))

kernel void matmul_naive_column_major(int M, int N, int K,
                                      global const REAL *A, // [K][M], column by column
                                      global const REAL *B, // [N][K], column by column
                                      global REAL *C)       // [N][M], column by column
{
    const int row = get_global_id(0); // neighbours in memory: rows, here
    const int column = get_global_id(1);
    if (row >= M || column >= N)
        return;

    REAL sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[AT(row, k, M)] * B[AT(k, column, K)];
    C[AT(row, column, M)] = sum;
}
