// Cause: a block, some rows, some columns, zero: one tile of 4 x 4 is 0
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
    const int in_tile = row / 4 == 0 && column / 4 == 1;
    C[row * N + column] = in_tile ? 0.0f : sum;
}
