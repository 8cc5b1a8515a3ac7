// Problem 12: y[row] = the sum of value[i] * x[column[i]] for i from start[row] to
// start[row + 1] - 1.

kernel void spmv(int rows,
                 global const int *start,   // [rows + 1]
                 global const int *column,  // [start[rows]]
                 global const float *value, // [start[rows]]
                 global const float *x,     // [columns]
                 global float *y)           // [rows]
{
}
