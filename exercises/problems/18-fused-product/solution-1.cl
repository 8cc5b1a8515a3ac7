// The fused product, stage 1: a tile of 16 x 16 in local memory, and the rest in a
// register.
//
// An element's sum is in a register when the loop has ended. The bias and GELU go on
// from there: D is stored once, and nothing is read again. Two barriers for each 16 of
// K, by all items, those beyond the edge too.

#define SIDE 16

// By tanh, as in GPT-2.
#define GELU(x) \
    (0.5f * (x) * (1 + tanh(0.79788456f * ((x) + 0.044715f * (x) * (x) * (x)))))

__attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
kernel void fused(int M, int N, int K,
                  global const float *A,    // [M][K]
                  global const float *B,    // [K][N]
                  global const float *bias, // [N]
                  global float *D)          // [M][N]
{
    local float a[SIDE][SIDE], b[SIDE][SIDE];
    const int x = get_local_id(0), column = get_global_id(0);
    const int y = get_local_id(1), row = get_global_id(1);
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += SIDE) {
        a[y][x] = row < M && k0 + x < K ? A[row * K + k0 + x] : 0;
        b[y][x] = k0 + y < K && column < N ? B[(k0 + y) * N + column] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < SIDE; k++)
            sum += a[y][k] * b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < M && column < N)
        D[row * N + column] = GELU(sum + bias[column]);
}
