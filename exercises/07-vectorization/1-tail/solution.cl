// Exercise 7.1: the tail. C = d * A + B, vectors of n floats.
//
// An item computes four neighbouring elements with one float4. n need not be a
// multiple of 4: as it stands the last item reads and writes behind the end. Let it do
// what is left one by one, and all others as before.

kernel void saxpy(int n, float d,
                  global const float *A, // [n]
                  global const float *B, // [n]
                  global float *C)       // [n]
{
    const int i = 4 * get_global_id(0); // the item's first element
    if (i >= n)
        return;

    // ---- your lines begin
    if (i + 4 <= n)
        vstore4(d * vload4(0, A + i) + vload4(0, B + i), 0, C + i);
    else
        for (int j = i; j < n; j++)
            C[j] = d * A[j] + B[j];
    // ---- your lines end
}
