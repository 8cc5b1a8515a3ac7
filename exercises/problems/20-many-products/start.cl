// Problem 20: C[p][row][column] = the sum over k of A[p][row][k] * B[p][k][column], for
// p < count; rows, columns and k are 32.

kernel void products(int count,
                     global const float *A, // [count][32][32]
                     global const float *B, // [count][32][32]
                     global float *C)       // [count][32][32]
{
}
