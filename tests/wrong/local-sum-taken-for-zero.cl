// Cause: differs, constant: local memory is taken to be 0
kernel void matmul_naive(int M, int N, int K, global const float *A,
                         global const float *B, global float *C)
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    local float sums[16][16];
    const int x = get_local_id(0), y = get_local_id(1);
    if (row >= M || column >= N)
        return;

    for (int k = 0; k < K; k++)
        sums[y][x] += A[row * K + k] * B[k * N + column];
    C[row * N + column] = sums[y][x];
}
