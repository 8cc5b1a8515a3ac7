// Exercise 6.1: the edge of a tile. C[M][N] = A[M][K] * B[K][N], row-major.
//
// Tiles of TS x TS. The two lines below are right as long as M, N and K are
// multiples of TS; else the last tiles hang over the edges of A and B. Make the
// kernel right for every M, N and K. An item that has nothing to copy loads nothing.

#define TS 8

__attribute__((reqd_work_group_size(TS, TS, 1)))
kernel void matmul_tiled(int M, int N, int K,
                         global const float *A, // [M][K]
                         global const float *B, // [K][N]
                         global float *C)       // [M][N]
{
    const int x = get_local_id(0), column = get_global_id(0);
    const int y = get_local_id(1), row = get_global_id(1);

    local float a_tile[TS][TS]; // A[row ...][k0 ...]
    local float b_tile[TS][TS]; // B[k0 ...][column ...]

    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += TS) {
        // ---- your lines begin
        a_tile[y][x] = A[row * K + k0 + x];
        b_tile[y][x] = B[(k0 + y) * N + column];
        // ---- your lines end
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < TS; k++)
            sum += a_tile[y][k] * b_tile[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < M && column < N)
        C[row * N + column] = sum;
}
