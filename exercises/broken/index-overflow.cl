// Symptom: right up to 256 x 256; from 257 x 257 on the last rows are wrong.
// Run: lesson03 --only matmul_naive --size 300x20x300

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
    if (row >= M || column >= N)
        return;

    const ushort a_row = row * K; // where the row of A begins
    REAL sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[a_row + k] * B[k * N + column];
    C[row * N + column] = sum;
}
