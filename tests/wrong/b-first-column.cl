// Cause: misplaced: the column is forgotten where B is read
kernel void matmul_naive(int M, int N, int K, global const float *A,
                         global const float *B, global float *C)
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N];
    C[row * N + column] = sum;
}
