// Problem 4: out = in + rate * (above + below + left + right - 4 in); points on the
// edge of the grid stay as they are.

kernel void heat(int rows, int columns, float rate,
                 global const float *in, // [rows][columns]
                 global float *out)      // [rows][columns]
{
}
