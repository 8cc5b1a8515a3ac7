// Exercise 7.3: a dot product of four. C[M][N] = A[M][K] * B[K][N], B as Bt[N][K].
//
// Both factors are read along k. The host pads K to a multiple of 4 with zeros. Take
// four steps of k at once: two wide loads, and dot() of two float4.

kernel void matmul(int M, int N, int K,
                   global const float *A,  // [M][K]
                   global const float *Bt, // [N][K]
                   global float *C)        // [M][N]
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    float sum = 0;
    // ---- your lines begin
    for (int k = 0; k < K; k += 4)
        sum += dot(vload4(0, A + row * K + k), vload4(0, Bt + column * K + k));
    // ---- your lines end
    C[row * N + column] = sum;
}
