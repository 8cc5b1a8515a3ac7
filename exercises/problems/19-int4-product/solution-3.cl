// int4, stage 3, for a CPU: 16 columns for each item, in vectors.
//
// 16 neighbouring words are one vector: all 16 are unpacked at once, and used for 16
// rows, whose sums are 16 vectors. A last part that is no whole vector is loaded number by
// number.

#define unrolled_for _Pragma("unroll") for // a loop that the compiler writes out

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void product_int4(int N, int groups,
                         global const float *X,     // [16][128 * groups]
                         global const uint *W,      // [16 * groups][N], eight in each
                         global const float *scale, // [groups][N]
                         global float *Y)           // [16][N]
{
    const int K = 128 * groups, column = get_group_id(0) * 16;
    const int count = min(16, N - column);
    float16 sum[16];
    unrolled_for (int row = 0; row < 16; row++)
        sum[row] = 0;
    for (int q = 0; q < K / 8; q++) {
        uint word[16] = {0};
        float by[16] = {0};
        uint16 words;
        float16 scales;
        if (count == 16) {
            words = vload16(0, W + q * N + column);
            scales = vload16(0, scale + q / 16 * N + column);
        } else {
            for (int c = 0; c < count; c++) {
                word[c] = W[q * N + column + c];
                by[c] = scale[q / 16 * N + column + c];
            }
            words = vload16(0, word);
            scales = vload16(0, by);
        }
        unrolled_for (int j = 0; j < 8; j++) {
            const uint16 bits = words >> 4 * j & 15 | 0x4b000000;
            const float16 w = (as_float16(bits) - 8388616.0f) * scales;
            unrolled_for (int row = 0; row < 16; row++)
                sum[row] += w * X[row * K + 8 * q + j];
        }
    }
    unrolled_for (int row = 0; row < 16; row++) {
        float lane[16];
        vstore16(sum[row], 0, lane);
        for (int c = 0; c < count; c++)
            Y[row * N + column + c] = lane[c];
    }
}
