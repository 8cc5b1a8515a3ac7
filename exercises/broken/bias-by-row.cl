// Symptom: nearly every element is wrong, of the fused row alone. With a bias that is
// the same everywhere it would be right.
// Run: lesson15 --only product_strip --size 37x91x53
//
// D = residual + gelu(A * B + bias), in one kernel or in four. A group of any shape; an
// item has 4 rows of 16 columns.

#if FUSED
#define GELU(x) \
    (0.5f * (x) * (1 + tanh(0.79788456f * ((x) + 0.044715f * (x) * (x) * (x)))))
#define FINISH(sum, bias, residual) ((residual) + GELU((sum) + (bias)))
#else
#define FINISH(sum, bias, residual) (sum)
#endif

// 16 neighbours of a row of which `left` are there; zeros behind.
float16 load16(int left, global const float *row)
{
    float lane[16];
    if (left >= 16)
        return vload16(0, row);
    for (int l = 0; l < 16; l++)
        lane[l] = l < left ? row[l] : 0;
    return vload16(0, lane);
}

kernel void product_strip(int M, int N, int K,
                          global const float *restrict A,        // [M][K]
                          global const float *restrict B,        // [K][N]
                          global const float *restrict bias,     // [N]
                          global const float *restrict residual, // [M][N]
                          global float *restrict D)              // [M][N]
{
    const int column = get_global_id(0) * 16, row = get_global_id(1) * 4;
    if (row >= M || column >= N)
        return;
    float16 sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < K; k++) {
        const float16 b = load16(N - column, B + k * N + column);
        for (int r = 0; r < 4; r++)
            sum[r] += A[min(row + r, M - 1) * K + k] * b;
    }
    for (int r = 0; r < min(4, M - row); r++) {
        const int i = (row + r) * N + column;
        const float16 rest = load16(N - column, residual + i);
        const float16 shift = bias[row + r];
        const float16 value = FINISH(sum[r], shift, rest);
        float lane[16];
        vstore16(value, 0, lane);
        for (int l = 0; l < min(16, N - column); l++)
            D[i + l] = lane[l];
    }
}
