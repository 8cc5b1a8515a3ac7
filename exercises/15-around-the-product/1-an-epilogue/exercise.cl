// Exercise 15.1: an epilogue. D = residual + max(0, A B + bias), four neighbours of a
// row for each item.

kernel void fused(int M, int N, int K,
                  global const float *A,        // [M][K]
                  global const float *B,        // [K][N]
                  global const float *bias,     // [N]
                  global const float *residual, // [M][N]
                  global float *D)              // [M][N]
{
    const int column = get_global_id(0) * 4, row = get_global_id(1);
    if (row >= M || column >= N)
        return;
    const int count = min(4, N - column);
    float sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < K; k++) {
        const float a = A[row * K + k];
        for (int c = 0; c < count; c++)
            sum[c] += a * B[k * N + column + c];
    }
    // ---- your lines begin
    global float *d = D + row * N + column;
    for (int c = 0; c < count; c++)
        d[c] = sum[c];
    for (int c = 0; c < count; c++)
        d[c] += bias[column + c];
    for (int c = 0; c < count; c++)
        d[c] = fmax(0.0f, d[c]);
    for (int c = 0; c < count; c++)
        d[c] += residual[row * N + column + c];
    // ---- your lines end
}
