// Exercise 7.2: four columns. C[M][N] = A[M][K] * B[K][N], row-major.
//
// An item computes four neighbouring elements of a row of C, with scalars. The host
// pads N to a multiple of 4. Use a float4: at each k one load of A and one of B, and
// one store at the end.

kernel void matmul(int M, int N, int K,
                   global const float *A, // [M][K]
                   global const float *B, // [K][N]
                   global float *C)       // [M][N]
{
    const int column = 4 * get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    // ---- your lines begin
    float4 sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * vload4(0, B + k * N + column);
    vstore4(sum, 0, C + row * N + column);
    // ---- your lines end
}
