// Symptom: every element of C is the same, whatever A and B hold.
// Run: lesson03 --only matmul_naive --size 37x91x53

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

    const REAL a = 2, b = 3; // easy to check: C must be 6 * K
    REAL sum = 0;
    for (int k = 0; k < K; k++)
        sum += a * b;
    C[row * N + column] = sum;
}
