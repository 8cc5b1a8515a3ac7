// Cause: unknown: A is read as if its rows had N elements
kernel void matmul_naive(int M, int N, int K, global const float *A,
                         global const float *B, global float *C)
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(row * N + k) % (M * K)] * B[k * N + column];
    C[row * N + column] = sum;
}
