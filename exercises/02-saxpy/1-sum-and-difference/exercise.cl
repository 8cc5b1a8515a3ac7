// Exercise 2.1: a sum and a difference. S = A + B, D = A - B, vectors of n
// floats. Both results go through global memory several times; two loads and two
// stores for each element are enough.

kernel void sum_and_difference(int n,
                               global const float *A, // [n]
                               global const float *B, // [n]
                               global float *S,       // [n]
                               global float *D)       // [n]
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    // ---- your lines begin
    S[i] = A[i];
    S[i] += B[i];
    D[i] = S[i];
    D[i] -= B[i];
    D[i] -= B[i];
    // ---- your lines end
}
