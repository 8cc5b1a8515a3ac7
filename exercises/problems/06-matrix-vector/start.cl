// Problem 6: y[row] = the sum over k of A[row][k] * x[k].

kernel void matvec(int rows, int columns,
                   global const float *A, // [rows][columns]
                   global const float *x, // [columns]
                   global float *y)       // [rows]
{
}
