// Cause: precision: the sum is fixed-point with 12 bits behind the point
kernel void matmul_naive(int M, int N, int K, global const float *A,
                         global const float *B, global float *C)
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    int fixed = 0;
    for (int k = 0; k < K; k++)
        fixed += rint(A[row * K + k] * B[k * N + column] * 4096);
    const float sum = fixed / 4096.0f;
    C[row * N + column] = sum;
}
