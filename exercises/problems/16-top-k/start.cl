// Problem 16: the eight largest elements of each row and their columns, the largest
// first; of equal ones the leftmost first. `columns` is at least 8.

#define K 8

kernel void top_k(int rows, int columns,
                  global const float *in, // [rows][columns]
                  global float *value,    // [rows][K]
                  global int *index)      // [rows][K]
{
}
