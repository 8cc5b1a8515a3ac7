// Cause: misplaced, never written: C is written as if its rows were padded to whole tiles of 16
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
    const int width = (N + 15) / 16 * 16;
    if (row * width + column < M * N)
        C[row * width + column] = sum;
}
