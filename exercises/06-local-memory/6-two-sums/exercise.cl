// Exercise 6.6: two sums over a tile. C[M][N] = A[M][K] * B[K][N], row-major; the host
// pads M, N and K to multiples of TS.
//
// A group of TS x TS/2 items owns TS x TS elements of C: each item has two of one
// column, HALF rows apart. As it stands the group walks along k twice, once for the
// upper half of its rows and once for the lower. Walk once, and read each element of
// b_tile once for both sums.

#define TS 8
#define HALF (TS / 2)
#if TS % 2
#error "TS must be even: each item has two sums of a column"
#endif

__attribute__((reqd_work_group_size(TS, HALF, 1)))
kernel void matmul_tiled(int M, int N, int K,
                         global const float *A, // [M][K]
                         global const float *B, // [K][N]
                         global float *C)       // [M][N]
{
    const int x = get_local_id(0), column = get_global_id(0);
    const int y = get_local_id(1), row0 = get_group_id(1) * TS;

    local float a_tile[TS][TS]; // A[row0 ...][k0 ...]
    local float b_tile[TS][TS]; // B[k0 ...][column ...]

    // ---- your lines begin
    for (int first = y; first < TS; first += HALF) {
        float sum = 0;
        for (int k0 = 0; k0 < K; k0 += TS) {
            a_tile[first][x] = A[(row0 + first) * K + k0 + x];
            for (int i = y; i < TS; i += HALF)
                b_tile[i][x] = B[(k0 + i) * N + column];
            barrier(CLK_LOCAL_MEM_FENCE);

            for (int k = 0; k < TS; k++)
                sum += a_tile[first][k] * b_tile[k][x];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        C[(row0 + first) * N + column] = sum;
    }
    // ---- your lines end
}
