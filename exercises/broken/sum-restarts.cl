// Symptom: right while K is at most 16. Above, every element is wrong, and the
// larger K is, the smaller the results are for what they must be.
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
    for (int k0 = 0; k0 < K; k0 += ROW) {
        const int length = min(ROW, K - k0);
        for (int k = 0; k < length; k++)
            a[k] = A[row * K + k0 + k];

        for (int column = 0; column < N; column++) {
            REAL sum = 0;
            for (int k = 0; k < length; k++)
                sum += a[k] * B[(k0 + k) * N + column];
            C[row * N + column] = sum;
        }
    }
}
