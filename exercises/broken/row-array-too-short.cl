// Symptom: from K = 16 on right in some launches and wrong in others, depending on
// the driver, the group size and the type. PoCL gives right results with floats.
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

    REAL a[ROW - 1]; // a[0] .. a[ROW - 1]
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
