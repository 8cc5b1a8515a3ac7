// Exercise 3.2: whose width? C[M][N] = A[M][K] * B[K][N], row-major.
//
// Element (row, column) of a matrix stands at row * width + column, with the width of
// that matrix. As it stands the kernel is right for square matrices and no others.

kernel void matmul(int M, int N, int K,
                   global const float *A, // [M][K]
                   global const float *B, // [K][N]
                   global float *C)       // [M][N]
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    float sum = 0;
    for (int k = 0; k < K; k++)
        // ---- your lines begin
        sum += A[row * K + k] * B[k * N + column];
    C[row * N + column] = sum;
        // ---- your lines end
}
