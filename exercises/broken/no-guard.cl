// Symptom: right at 64 and 1024; at other sizes elements far from any edge are
// wrong, and not the same ones each time.
// Run: lesson03 --only matmul_naive --size 32x31x5

#ifndef REAL // the element type, from --type
#define REAL float
#endif

kernel void matmul_naive(int M, int N, int K,
                         global const REAL *A, // [M][K]
                         global const REAL *B, // [K][N]
                         global REAL *C)       // [M][N]
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);

    REAL sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + column];
    C[row * N + column] = sum;
}
