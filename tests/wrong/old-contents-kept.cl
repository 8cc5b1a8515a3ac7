// Cause: old contents: C is only written where it holds a NaN or the number that once was known
kernel void matmul_naive(int M, int N, int K, global const float *A,
                         global const float *B, global float *C)
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + column];
    const float old = C[row * N + column];
    C[row * N + column] = isnan(old) || old == 8191.5f ? sum : old;
}
