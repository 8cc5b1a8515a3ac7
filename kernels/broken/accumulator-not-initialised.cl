// Symptom: right on some drivers, garbage on others.
// Run: lesson03 --only matmul_naive --size 37x91x53
// Seen by: uninitialised

#ifndef REAL            // the element type, from --type
#define REAL float
#endif

kernel void matmul_naive(int M, int N, int K, global const REAL *A,
                         global const REAL *B, global REAL *C)
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    REAL sum;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + column];
    C[row * N + column] = sum;
}
