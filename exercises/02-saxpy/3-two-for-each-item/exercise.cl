// Exercise 2.3: two elements for each item. C = d * A + B, vectors of n floats.
//
// There are half as many items as elements, rounded up. Item i computes element i, as
// it stands. Let it compute element i + half as well, where there is one.

kernel void saxpy(int n, float d,
                  global const float *A, // [n]
                  global const float *B, // [n]
                  global float *C)       // [n]
{
    const int half_of_n = (n + 1) / 2; // n may be odd
    const int i = get_global_id(0);
    if (i >= half_of_n)
        return;

    // ---- your lines begin
    C[i] = d * A[i] + B[i];
    // ---- your lines end
}
