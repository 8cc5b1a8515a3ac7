// Problem 13: y[row] = the sum over k of scale[row][k / 32] * A[row][k] * x[k];
// `columns` is a multiple of 32.

kernel void matvec_int8(int rows, int columns,
                        global const char *A,      // [rows][columns]
                        global const float *scale, // [rows][columns / 32]
                        global const float *x,     // [columns]
                        global float *y)           // [rows]
{
}
