// Cause: terms twice: tiles of 9 that begin every 8
kernel void matmul_naive(int M, int N, int K, global const float *A,
                         global const float *B, global float *C)
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 8)
        for (int k = k0; k < min(k0 + 9, K); k++)
            sum += A[row * K + k] * B[k * N + column];
    C[row * N + column] = sum;
}
