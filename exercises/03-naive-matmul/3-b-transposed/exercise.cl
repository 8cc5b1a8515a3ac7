// Exercise 3.3: B transposed. C[M][N] = A[M][K] * B[K][N], but B comes as Bt[N][K].
//
// The host has turned B round: what was its column is now a row of Bt. Change how the
// kernel reads it.

kernel void matmul(int M, int N, int K,
                   global const float *A,  // [M][K]
                   global const float *Bt, // [N][K]
                   global float *C)        // [M][N]
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    float sum = 0;
    for (int k = 0; k < K; k++)
        // ---- your lines begin
        sum += A[row * K + k] * Bt[k * N + column];
        // ---- your lines end
    C[row * N + column] = sum;
}
