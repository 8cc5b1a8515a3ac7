// Exercise 15.2: four rows, one word. Y = X W, where a weight is (four bits - 8) *
// scale. A column for each item.

kernel void four_rows(int N, int groups,
                      global const float *X,     // [4][128 * groups]
                      global const uint *W,      // [16 * groups][N], eight weights each
                      global const float *scale, // [groups][N]
                      global float *Y)           // [4][N]
{
    const int column = get_global_id(0), K = 128 * groups;
    if (column >= N)
        return;
    // ---- your lines begin
    for (int row = 0; row < 4; row++) {
        float sum = 0;
        for (int q = 0; q < K / 8; q++) {
            const uint word = W[q * N + column];
            const float by = scale[q / 16 * N + column];
            for (int j = 0; j < 8; j++) {
                const float weight = ((int)(word >> 4 * j & 15) - 8) * by;
                sum += weight * X[row * K + 8 * q + j];
            }
        }
        Y[row * N + column] = sum;
    }
    // ---- your lines end
}
