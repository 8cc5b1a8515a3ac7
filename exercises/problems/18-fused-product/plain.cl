// D = gelu(A * B + bias). One element for each work-item.

// By tanh, as in GPT-2.
#define GELU(x) \
    (0.5f * (x) * (1 + tanh(0.79788456f * ((x) + 0.044715f * (x) * (x) * (x)))))

kernel void fused(int M, int N, int K,
                  global const float *A,    // [M][K]
                  global const float *B,    // [K][N]
                  global const float *bias, // [N]
                  global float *D)          // [M][N]
{
    const int column = get_global_id(0), row = get_global_id(1);
    if (row >= M || column >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + column];
    D[row * N + column] = GELU(sum + bias[column]);
}
