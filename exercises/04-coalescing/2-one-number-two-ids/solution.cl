// Exercise 4.2: one number, two ids. C[M][N] = A[M][K] * B[K][N], row-major.
//
// The NDRange has one dimension, an item for each element of C. The kernel splits its
// number into row and column, and computes the right product; but neighbouring items
// get neighbouring rows. Split the number so that they get neighbouring columns.

kernel void matmul(int M, int N, int K,
                   global const float *A, // [M][K]
                   global const float *B, // [K][N]
                   global float *C)       // [M][N]
{
    const int i = get_global_id(0); // 0 .. M*N-1, and the surplus
    if (i >= M * N)
        return;

    // ---- your lines begin
    const int row = i / N;
    const int column = i % N;
    // ---- your lines end

    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + column];
    C[row * N + column] = sum;
}
