// int4, stage 1: a column for each item, 16 sums in registers.
//
// A word is loaded and unpacked once and used for 16 rows, where plain.cl does both 16
// times. Neighbouring items read neighbouring words. All items of a warp read the same
// element of X.

kernel void product_int4(int N, int groups,
                         global const float *X,     // [16][128 * groups]
                         global const uint *W,      // [16 * groups][N], eight in each
                         global const float *scale, // [groups][N]
                         global float *Y)           // [16][N]
{
    const int column = get_global_id(0), K = 128 * groups;
    if (column >= N)
        return;
    float sum[16] = {0};
    for (int q = 0; q < K / 8; q++) {
        const uint word = W[q * N + column];
        const float by = scale[q / 16 * N + column];
        for (int j = 0; j < 8; j++) {
            const float w = ((int)(word >> 4 * j & 15) - 8) * by;
            for (int row = 0; row < 16; row++)
                sum[row] += w * X[row * K + 8 * q + j];
        }
    }
    for (int row = 0; row < 16; row++)
        Y[row * N + column] = sum[row];
}
