// What learners write for problems 18 to 20, and what is wrong with it.

#define SIDE 16
#define GELU(x) \
    (0.5f * (x) * (1 + tanh(0.79788456f * ((x) + 0.044715f * (x) * (x) * (x)))))

// 18: the epilogue stands in the loop over the tiles, so it is of parts of a sum.
kernel void gelu_of_each_tile(int M, int N, int K,
                              global const float *A,    // [M][K]
                              global const float *B,    // [K][N]
                              global const float *bias, // [N]
                              global float *D)          // [M][N]
{
    const int column = get_global_id(0), row = get_global_id(1);
    if (row >= M || column >= N)
        return;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += SIDE) {
        for (int k = k0; k < min(k0 + SIDE, K); k++)
            sum += A[row * K + k] * B[k * N + column];
        sum = GELU(sum + (k0 == 0 ? bias[column] : 0));
    }
    D[row * N + column] = sum;
}

// 18: the bias of the row, not of the column.
kernel void bias_of_the_row(int M, int N, int K,
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
    D[row * N + column] = GELU(sum + bias[min(row, N - 1)]);
}

// 18: tanh by e^2x, which runs over where a sum is large: infinity by infinity.
kernel void gelu_that_runs_over(int M, int N, int K,
                                global const float *A,    // [M][K]
                                global const float *B,    // [K][N]
                                global const float *bias, // [N]
                                global float *D)          // [M][N]
{
    const int column = get_global_id(0), row = get_global_id(1);
    if (row >= M || column >= N)
        return;
    float sum = bias[column];
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + column];
    const float e = exp(1.59576912f * (sum + 0.044715f * sum * sum * sum));
    D[row * N + column] = sum * e / (e + 1);
}

// 19: four bits as a signed number, not as a level from -8 on.
kernel void bits_with_a_sign(int N, int groups,
                             global const float *X,     // [16][128 * groups]
                             global const uint *W,      // [16 * groups][N], eight in each
                             global const float *scale, // [groups][N]
                             global float *Y)           // [16][N]
{
    const int column = get_global_id(0), row = get_global_id(1), K = 128 * groups;
    if (column >= N || row >= 16)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++) {
        const int level = (int)(W[k / 8 * N + column] << (28 - k % 8 * 4)) >> 28;
        sum += level * scale[k / 128 * N + column] * X[row * K + k];
    }
    Y[row * N + column] = sum;
}

// 19: the scale of the first 128, for all: right where there is one group.
kernel void scale_of_the_first(int N, int groups,
                               global const float *X,     // [16][128 * groups]
                               global const uint *W,      // [16 * groups][N], eight in each
                               global const float *scale, // [groups][N]
                               global float *Y)           // [16][N]
{
    const int column = get_global_id(0), row = get_global_id(1), K = 128 * groups;
    if (column >= N || row >= 16)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++) {
        const int level = (int)(W[k / 8 * N + column] >> k % 8 * 4 & 15) - 8;
        sum += level * X[row * K + k];
    }
    Y[row * N + column] = sum * scale[column];
}

// 19: the word's first weight taken from its highest bits.
kernel void highest_bits_first(int N, int groups,
                               global const float *X,     // [16][128 * groups]
                               global const uint *W,      // [16 * groups][N], eight in each
                               global const float *scale, // [groups][N]
                               global float *Y)           // [16][N]
{
    const int column = get_global_id(0), row = get_global_id(1), K = 128 * groups;
    if (column >= N || row >= 16)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++) {
        const int level = (int)(W[k / 8 * N + column] >> (28 - k % 8 * 4) & 15) - 8;
        sum += level * scale[k / 128 * N + column] * X[row * K + k];
    }
    Y[row * N + column] = sum;
}

// 20: B by rows, as it lies in memory, so that each product is with B transposed.
kernel void b_transposed(int count,
                         global const float *A, // [count][32][32]
                         global const float *B, // [count][32][32]
                         global float *C)       // [count][32][32]
{
    const int i = get_global_id(0);
    if (i >= count * 1024)
        return;
    const int first = i / 1024 * 1024, row = i / 32 % 32, column = i % 32;
    float sum = 0;
    for (int k = 0; k < 32; k++)
        sum += A[first + row * 32 + k] * B[first + column * 32 + k];
    C[i] = sum;
}

// 20: four products for each group, whether they are there or not.
kernel void always_four(int count,
                        global const float *A, // [count][32][32]
                        global const float *B, // [count][32][32]
                        global float *C)       // [count][32][32]
{
    for (int i = get_local_id(0); i < 4096; i += get_local_size(0)) {
        const int at = get_group_id(0) * 4096 + i, column = i % 32;
        float sum = 0;
        for (int k = 0; k < 32; k++)
            sum += A[at - column + k] * B[at / 1024 * 1024 + k * 32 + column];
        C[at] = sum;
    }
}
