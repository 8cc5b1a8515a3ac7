// Exercise 6.3: one barrier. C[M][N] = A[M][K] * B[K][N], row-major.
//
// The kernel is right and passes two barriers in each iteration along k. One is
// enough if there are two pairs of tiles, and the iterations use them alternately.
// Make it so.

#define TS 8

__attribute__((reqd_work_group_size(TS, TS, 1)))
kernel void matmul_tiled(int M, int N, int K,
                         global const float *A, // [M][K]
                         global const float *B, // [K][N]
                         global float *C)       // [M][N]
{
    const int x = get_local_id(0), column = get_global_id(0);
    const int y = get_local_id(1), row = get_global_id(1);

    // ---- your lines begin
    local float a_tile[TS][TS]; // A[row ...][k0 ...]
    local float b_tile[TS][TS]; // B[k0 ...][column ...]

    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += TS) {
        a_tile[y][x] = row < M && k0 + x < K ? A[row * K + k0 + x] : 0.0f;
        b_tile[y][x] = k0 + y < K && column < N ? B[(k0 + y) * N + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < TS; k++)
            sum += a_tile[y][k] * b_tile[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    // ---- your lines end
    if (row < M && column < N)
        C[row * N + column] = sum;
}
