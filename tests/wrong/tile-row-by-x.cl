// Cause: misplaced: the tile of A is read at x for y
#define TS 16

__attribute__((reqd_work_group_size(TS, TS, 1)))
kernel void matmul_naive(int M, int N, int K, global const float *A,
                         global const float *B, global float *C)
{
    const int x = get_local_id(0), column = get_global_id(0);
    const int y = get_local_id(1), row = get_global_id(1);
    local float a_tile[TS][TS], b_tile[TS][TS];

    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += TS) {
        a_tile[y][x] = row < M && k0 + x < K ? A[row * K + k0 + x] : 0.0f;
        b_tile[y][x] = k0 + y < K && column < N ? B[(k0 + y) * N + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TS; k++)
            sum += a_tile[x][k] * b_tile[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < M && column < N)
        C[row * N + column] = sum;
}
