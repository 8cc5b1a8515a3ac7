// Exercise 3.1: both edges. C[M][N] = A[M][K] * B[K][N], row-major.
//
// Groups are 8 x 8 items, and M and N are no multiples of 8. Items beyond the last
// row or the last column must neither read nor write.

kernel void matmul(int M, int N, int K,
                   global const float *A, // [M][K]
                   global const float *B, // [K][N]
                   global float *C)       // [M][N]
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    // ---- your lines begin
    // ---- your lines end

    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + column];
    C[row * N + column] = sum;
}
