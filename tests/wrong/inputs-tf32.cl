// Cause: precision: A and B are cut to tf32
float tf32(float x)
{
    return as_float(as_uint(x) & 0xffffe000u);
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
        sum += tf32(A[row * K + k]) * tf32(B[k * N + column]);
    C[row * N + column] = sum;
}
