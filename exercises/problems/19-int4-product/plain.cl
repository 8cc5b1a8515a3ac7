// Y = X W for 16 rows of X. A weight is (four bits - 8) * scale: word q of a column has
// the bits of k = 8q to 8q + 7, the first in the lowest; 128 weights share a scale. One
// element for each work-item.
kernel void product_int4(int N, int groups,
                         global const float *X,     // [16][128 * groups]
                         global const uint *W,      // [16 * groups][N], eight in each
                         global const float *scale, // [groups][N]
                         global float *Y)           // [16][N]
{
    const int column = get_global_id(0), row = get_global_id(1), K = 128 * groups;
    if (column >= N || row >= 16)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++) {
        const int level = (int)(W[k / 8 * N + column] >> k % 8 * 4 & 15) - 8;
        sum += level * scale[k / 128 * N + column] * X[row * K + k];
    }
    Y[row * N + column] = sum;
}
