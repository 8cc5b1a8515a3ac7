// Symptom: right if C happens to hold zeros; twice as large when the kernel runs
// a second time.
// Run: lesson03 --only matmul_global_sum --size 37x91x53

#ifndef REAL // the element type, from --type
#define REAL float
#endif

kernel void matmul_global_sum(int M, int N, int K,
                              global const REAL *A, // [M][K]
                              global const REAL *B, // [K][N]
                              global REAL *C)       // [M][N]
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    for (int k = 0; k < K; k++)
        C[row * N + column] += A[row * K + k] * B[k * N + column];
}
