// Cause: terms subtracted, negated: what is left over after whole tiles of 4 has the wrong sign
kernel void matmul_naive(int M, int N, int K, global const float *A,
                         global const float *B, global float *C)
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    float sum = 0;
    int k = 0;
    for (; k + 4 <= K; k += 4)
        for (int i = 0; i < 4; i++)
            sum += A[row * K + k + i] * B[(k + i) * N + column];
    for (; k < K; k++)
        sum -= A[row * K + k] * B[k * N + column];
    C[row * N + column] = sum;
}
