// Problem 19: Y[row][column] = the sum over k of X[row][k] * w, for 16 rows, where
// w = ((W[k / 8][column] >> 4 * (k % 8) & 15) - 8) * scale[k / 128][column].

kernel void product_int4(int N, int groups,
                         global const float *X,     // [16][128 * groups]
                         global const uint *W,      // [16 * groups][N], eight in each
                         global const float *scale, // [groups][N]
                         global float *Y)           // [16][N]
{
}
