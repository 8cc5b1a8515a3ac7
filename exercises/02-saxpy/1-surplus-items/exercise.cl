// Exercise 2.1: surplus items. C = d * A + B, vectors of n floats.
//
// The host rounds the number of items up to whole groups of 64: for n = 1000 it
// starts 1024. The surplus items must touch nothing.

kernel void saxpy(int n, float d,
                  global const float *A, // [n]
                  global const float *B, // [n]
                  global float *C)       // [n]
{
    const int i = get_global_id(0);
    // ---- your lines begin
    C[i] = d * A[i] + B[i];
    // ---- your lines end
}
