// Exercise 8.2: four by four. C[M][N] = A[M][K] * B[K][N], row-major; the host pads M
// and N to multiples of 32.
//
// Each item computes 4 x 4 elements of C, one after the other, straight from global
// memory: two loads for every multiply-add. Keep all 16 sums at once, and at each k
// load 4 elements of A and 4 of B for the 16 multiply-adds.

__attribute__((reqd_work_group_size(8, 8, 1)))
kernel void matmul(int M, int N, int K,
                   global const float *A, // [M][K]
                   global const float *B, // [K][N]
                   global float *C)       // [M][N]
{
    const int column = 4 * get_global_id(0); // the first of four
    const int row = 4 * get_global_id(1);    // the first of four

    // ---- your lines begin
    float sum[4][4] = {{0}};
    for (int k = 0; k < K; k++) {
        float b[4];
        for (int c = 0; c < 4; c++)
            b[c] = B[k * N + column + c];
        for (int r = 0; r < 4; r++) {
            const float a = A[(row + r) * K + k];
            for (int c = 0; c < 4; c++)
                sum[r][c] += a * b[c];
        }
    }
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            C[(row + r) * N + column + c] = sum[r][c];
    // ---- your lines end
}
