// Problem 8: out[row][k] = (in[row][k] - mean) / sqrt(variance + 1e-5) * scale[k] +
// shift[k], with the mean and the variance of the row.

kernel void layer_norm(int rows, int columns,
                       global const float *in,    // [rows][columns]
                       global const float *scale, // [columns]
                       global const float *shift, // [columns]
                       global float *out)         // [rows][columns]
{
}
