// Exercise 11.1: a size left open. C[M][N] = A[M][K] * B[K][N], row-major; the host
// pads M to a multiple of 8 * ROWS and N to a multiple of 8.
//
// An item computes elements of one column of C, one below the other: two of them, as it
// stands. Make it ROWS of them, so that a search can choose the number: 1, 2, 4 or 8.
// An element of B is loaded once for all of them.

#ifndef ROWS
#define ROWS 2
#endif

__attribute__((reqd_work_group_size(8, 8, 1)))
kernel void matmul(int M, int N, int K,
                   global const float *A, // [M][K]
                   global const float *B, // [K][N]
                   global float *C)       // [M][N]
{
    const int column = get_global_id(0);
    const int row0 = get_global_id(1) * ROWS;

    // ---- your lines begin
    float sum[ROWS];
    for (int r = 0; r < ROWS; r++)
        sum[r] = 0;
    for (int k = 0; k < K; k++) {
        const float b = B[k * N + column];
        for (int r = 0; r < ROWS; r++)
            sum[r] += A[(row0 + r) * K + k] * b;
    }
    for (int r = 0; r < ROWS; r++)
        C[(row0 + r) * N + column] = sum[r];
    // ---- your lines end
}
