// Problem 5: out[y][x] = the sum of filter[dy + 3][dx + 3] * in[y + dy][x + dx] over
// dy and dx from -3 to 3. Outside the image are zeros.

kernel void convolve(int rows, int columns,
                     global const float *in,   // [rows][columns]
                     constant float *filter,   // [7][7]
                     global float *out)        // [rows][columns]
{
}
