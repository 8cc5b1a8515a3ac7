// Cause: terms twice: a last tile that would reach over the end begins earlier
kernel void matmul_naive(int M, int N, int K, global const float *A,
                         global const float *B, global float *C)
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        const int first = max(min(k0, K - 16), 0);
        for (int k = first; k < min(first + 16, K); k++)
            sum += A[row * K + k] * B[k * N + column];
    }
    C[row * N + column] = sum;
}
