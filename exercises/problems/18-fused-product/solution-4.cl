// The fused product, stage 4, for a CPU: 4 rows of 16 columns for each item.
//
// The sums of a row are one vector, and so tanh is computed for 16 of them at once: one
// by one it would take longer than the product.

#define unrolled_for _Pragma("unroll") for // a loop that the compiler writes out

// By tanh, as in GPT-2.
#define GELU(x) \
    (0.5f * (x) * (1 + tanh(0.79788456f * ((x) + 0.044715f * (x) * (x) * (x)))))

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

kernel void fused(int M, int N, int K,
                  global const float *A,    // [M][K]
                  global const float *B,    // [K][N]
                  global const float *bias, // [N]
                  global float *D)          // [M][N]
{
    const int column = get_global_id(0) * 16, row = get_global_id(1) * 4;
    if (row >= M || column >= N)
        return;
    float16 sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < K; k++) {
        const float16 b = load16(N - column, B + k * N + column);
        unrolled_for (int r = 0; r < 4; r++)
            sum[r] += A[min(row + r, M - 1) * K + k] * b;
    }
    const float16 bias16 = load16(N - column, bias + column);
    for (int r = 0; r < min(4, M - row); r++) {
        const int i = (row + r) * N + column;
        const float16 value = GELU(sum[r] + bias16);
        float lane[16];
        vstore16(value, 0, lane);
        for (int l = 0; l < min(16, N - column); l++)
            D[i + l] = lane[l];
    }
}
