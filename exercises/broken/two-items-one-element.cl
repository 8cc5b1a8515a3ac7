// Symptom: right where M is a multiple of 32 and N of 8. Elsewhere the last row or
// the last column is wrong: zeros on PoCL, zeros here and there on a GPU.
// Run: lesson04 --only matmul_id0_rows --size 37x21x35
//
// C[M][N] = A[M][K] * B[K][N], row-major. id0 counts rows.

#ifndef REAL // the element type, from --type
#define REAL float
#endif

kernel void matmul_id0_rows(int M, int N, int K,
                            global const REAL *A, // [M][K]
                            global const REAL *B, // [K][N]
                            global REAL *C)       // [M][N]
{
    const int row = get_global_id(0);
    const int column = get_global_id(1);

    REAL sum = 0;
    if (row < M && column < N)
        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * B[k * N + column];
    // Nobody writes outside C: the items too many stay at its edge.
    C[min(row, M - 1) * N + min(column, N - 1)] = sum;
}
