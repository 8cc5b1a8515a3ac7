// Exercise 14.2: one more panel. C[M][N] += A[M][K] * B[K][N], of the products from k0
// to k1 - 1 only: K is worked through in panels, and every launch adds one.
//
// As it stands a launch computes the whole sum and forgets what was there. Add the
// panel, with one load and one store of C for each element.

kernel void add_panel(int M, int N, int K, int k0, int k1,
                      global const float *A, // [M][K]
                      global const float *B, // [K][N]
                      global float *C)       // [M][N]
{
    const int column = get_global_id(0), row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    // ---- your lines begin
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + column];
    C[row * N + column] = sum;
    // ---- your lines end
}
