// Cause: misplaced: a tile of 16 x 16 is written by columns
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
    const int x = get_local_id(0), y = get_local_id(1);
    const int to_row = row - y + x, to_column = column - x + y;
    if (to_row < M && to_column < N)
        C[to_row * N + to_column] = sum;
    else
        C[row * N + column] = sum;
}
