// Exercise 10.1: fetched early. C[M][N] = A[M][K] * B[K][N], row-major.
//
// Each item holds the elements of the coming round in two registers, a and b. A round
// puts them into the tiles, fetches those of the next round, and only then adds up: so
// the loads are on their way while the item computes. The fetch is missing, and every
// round adds up the first. Write it. Behind the end of K it must load nothing.

#define TS 8

__attribute__((reqd_work_group_size(TS, TS, 1)))
kernel void matmul(int M, int N, int K,
                   global const float *A, // [M][K]
                   global const float *B, // [K][N]
                   global float *C)       // [M][N]
{
    const int x = get_local_id(0), column = get_global_id(0);
    const int y = get_local_id(1), row = get_global_id(1);
    local float a_tile[TS][TS], b_tile[TS][TS];

    float a = row < M && x < K ? A[row * K + x] : 0.0f;
    float b = y < K && column < N ? B[y * N + column] : 0.0f;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += TS) {
        a_tile[y][x] = a;
        b_tile[y][x] = b;
        barrier(CLK_LOCAL_MEM_FENCE);

        // ---- your lines begin
        // ---- your lines end

        for (int k = 0; k < TS; k++)
            sum += a_tile[y][k] * b_tile[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < M && column < N)
        C[row * N + column] = sum;
}
