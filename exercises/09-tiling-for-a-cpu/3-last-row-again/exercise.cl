// Exercise 9.3: the last row again. C[M][N] = A[M][K] * B[K][N], row-major. The host
// pads N to a multiple of 4; M is what it is.
//
// An item computes ROWS rows of 4 columns. Where M is no multiple of ROWS, the last
// items reach over the edge: they store nothing there, but they read rows of A that do
// not exist. Let a_row point to rows of A only, and leave the loop over k as it is.

#define ROWS 4

kernel void matmul(int M, int N, int K,
                   global const float *A, // [M][K]
                   global const float *B, // [K][N]
                   global float *C)       // [M][N]
{
    const int column0 = get_global_id(0) * 4;
    const int row0 = get_global_id(1) * ROWS;
    if (row0 >= M || column0 >= N)
        return;

    global const float *a_row[ROWS]; // where the item's rows of A begin
    for (int r = 0; r < ROWS; r++) {
        // ---- your lines begin
        a_row[r] = A + (row0 + r) * K;
        // ---- your lines end
    }

    float4 sum[ROWS];
    for (int r = 0; r < ROWS; r++)
        sum[r] = 0;
    for (int k = 0; k < K; k++) {
        const float4 b = vload4(0, B + k * N + column0);
        for (int r = 0; r < ROWS; r++)
            sum[r] += a_row[r][k] * b;
    }
    for (int r = 0; r < ROWS && row0 + r < M; r++)
        vstore4(sum[r], 0, C + (row0 + r) * N + column0);
}
