// Exercise 2.2: more elements than items. C = d * A + B, vectors of n floats.
//
// The host always starts 256 items, whatever n is. Each item computes one element.
// Let it compute every 256th, so that together they compute all, each once.

kernel void saxpy(int n, float d,
                  global const float *A, // [n]
                  global const float *B, // [n]
                  global float *C)       // [n]
{
    // ---- your lines begin
    const int i = get_global_id(0);
    if (i < n)
        C[i] = d * A[i] + B[i];
    // ---- your lines end
}
