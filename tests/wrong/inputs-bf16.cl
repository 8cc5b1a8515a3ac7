// Cause: precision: A and B are cut to bf16
float bf16(float x)
{
    return as_float(as_uint(x) & 0xffff0000u);
}

kernel void matmul_naive(int M, int N, int K, global const float *A,
                         global const float *B, global float *C)
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += bf16(A[row * K + k]) * bf16(B[k * N + column]);
    C[row * N + column] = sum;
}
