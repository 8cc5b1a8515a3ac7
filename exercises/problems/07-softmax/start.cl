// Problem 7: out[row][k] = exp(in[row][k] - most) / sum, where `most` is the row's
// largest element, and `sum` adds up exp(in[row][k] - most) over the row.

kernel void softmax(int rows, int columns,
                    global const float *in, // [rows][columns]
                    global float *out)      // [rows][columns]
{
}
