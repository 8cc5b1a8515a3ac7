// Exercise 5.1: the sum at home. C[M][N] = A[M][K] * B[K][N], row-major.
//
// The running sum is in C, in global memory: each iteration reads it, adds
// to it and writes it back. Keep it to the item, and store it once.

kernel void matmul(int M, int N, int K,
                   global const float *A, // [M][K]
                   global const float *B, // [K][N]
                   global float *C)       // [M][N]
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    // ---- your lines begin
    C[row * N + column] = 0;
    for (int k = 0; k < K; k++)
        C[row * N + column] += A[row * K + k] * B[k * N + column];
    // ---- your lines end
}
