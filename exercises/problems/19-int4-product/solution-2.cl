// int4, stage 2: 16 items share a column, and X comes from local memory.
//
// A column for each item is too few items for a GPU: N of them. Here 16 take every 16th
// scale's part of a column, and join their sums at the end. 2^23 + n has n in its last
// bits, so a weight needs no conversion: an `or` and a subtraction.

#define LANES 16
#define ACROSS 32 // columns of a group
#define unrolled_for _Pragma("unroll") for // a loop that the compiler writes out

__attribute__((reqd_work_group_size(ACROSS, LANES, 1)))
kernel void product_int4(int N, int groups,
                         global const float *X,     // [16][128 * groups]
                         global const uint *W,      // [16 * groups][N], eight in each
                         global const float *scale, // [groups][N]
                         global float *Y)           // [16][N]
{
    local float tile[LANES][ACROSS];
    const int x = get_local_id(0), lane = get_local_id(1), K = 128 * groups;
    const int column = get_global_id(0), near = min(column, N - 1);
    float sum[16] = {0};
    for (int q = lane; q < K / 8; q += LANES) {
        const uint word = W[q * N + near];
        const float by = scale[q / 16 * N + near];
        unrolled_for (int j = 0; j < 8; j++) {
            const uint bits = word >> 4 * j & 15 | 0x4b000000;
            const float w = (as_float(bits) - 8388616.0f) * by;
            unrolled_for (int row = 0; row < 16; row++)
                sum[row] += w * X[row * K + 8 * q + j];
        }
    }

    unrolled_for (int row = 0; row < 16; row++) {
        tile[lane][x] = sum[row];
        barrier(CLK_LOCAL_MEM_FENCE); // all lanes have brought theirs
        if (lane == row && column < N) {
            float all = 0;
            for (int l = 0; l < LANES; l++)
                all += tile[l][x];
            Y[row * N + column] = all;
        }
        barrier(CLK_LOCAL_MEM_FENCE); // it has been read
    }
}
