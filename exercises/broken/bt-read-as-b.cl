// Symptom: nearly every element is wrong, and none looks related to what it must
// be. With one column, or with K = 1, the result is right.
// Run: lesson04 --only matmul_id0_columns_bt --size 37x91x53
//
// C[M][N] = A[M][K] * B[K][N], row-major. B comes transposed, Bt[N][K].

#ifndef REAL // the element type, from --type
#define REAL float
#endif

// id0 counts columns.
kernel void matmul_id0_columns_bt(int M, int N, int K,
                                  global const REAL *A,  // [M][K]
                                  global const REAL *Bt, // [N][K]
                                  global REAL *C)        // [M][N]
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    REAL sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * Bt[k * N + column];
    C[row * N + column] = sum;
}
