// Exercise 8.1: a strip of four. C[M][N] = A[M][K] * B[K][N], row-major; the host pads
// M, N and K to multiples of TS.
//
// A group of TS x TS/4 items computes a tile of TS x TS. Each item owns four elements
// of one column, TS/4 rows apart. For each of them it reads the same element of b_tile
// again. Read it once for the four.

#define TS 8
#define STEP (TS / 4)

__attribute__((reqd_work_group_size(TS, STEP, 1)))
kernel void matmul(int M, int N, int K,
                   global const float *A, // [M][K]
                   global const float *B, // [K][N]
                   global float *C)       // [M][N]
{
    const int x = get_local_id(0), column = get_global_id(0);
    const int y = get_local_id(1), row0 = get_group_id(1) * TS;

    local float a_tile[TS][TS]; // A[row0 ...][k0 ...]
    local float b_tile[TS][TS]; // B[k0 ...][column ...]

    float sum[4] = {0, 0, 0, 0}; // rows row0 + y + s * STEP
    for (int k0 = 0; k0 < K; k0 += TS) {
        for (int s = 0; s < 4; s++) {
            const int r = y + s * STEP;
            a_tile[r][x] = A[(row0 + r) * K + k0 + x];
            b_tile[r][x] = B[(k0 + r) * N + column];
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        // ---- your lines begin
        for (int k = 0; k < TS; k++) {
            const float b = b_tile[k][x];
            for (int s = 0; s < 4; s++)
                sum[s] += a_tile[y + s * STEP][k] * b;
        }
        // ---- your lines end
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int s = 0; s < 4; s++)
        C[(row0 + y + s * STEP) * N + column] = sum[s];
}
