// Symptom: right where K is a multiple of 16. Elsewhere every element is wrong, and
// with K below 16 nothing is written at all.
// Run: lesson05 --only matmul_row_private --size 37x91x53
//
// C[M][N] = A[M][K] * B[K][N], row-major. One item computes a row of C.

#ifndef REAL // the element type, from --type
#define REAL float
#endif

// How many elements of its row an item keeps to itself at a time.
#ifndef ROW
#define ROW 16
#endif

kernel void matmul_row_private(int M, int N, int K,
                               global const REAL *A, // [M][K]
                               global const REAL *B, // [K][N]
                               global REAL *C)       // [M][N]
{
    const int row = get_global_id(0);
    if (row >= M)
        return;

    REAL a[ROW]; // A[row][k0 .. k0+length-1]
    for (int k0 = 0; k0 + ROW <= K; k0 += ROW) {
        const int length = ROW;
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
