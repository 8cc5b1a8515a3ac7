// Problem 2: out[column][row] = in[row][column].

kernel void transpose(int rows, int columns,
                      global const float *in, // [rows][columns]
                      global float *out)      // [columns][rows]
{
}
