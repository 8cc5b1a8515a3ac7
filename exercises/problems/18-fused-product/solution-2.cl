// The fused product, stage 2: 4 x 4 sums for each item.
//
// Lesson 8's tile: an element of A or B that was read from local memory is used four
// times. All 16 sums go on in their registers. The loops that store them are unrolled:
// an index that is known only at run time would send the sums to memory.

#define unrolled_for _Pragma("unroll") for // a loop that the compiler writes out
#define TM 64 // rows of C per group
#define TN 64 // columns of C per group
#define TK 16 // how deep the tiles are
#define RM 4 // rows of C per item
#define RN 4 // columns of C per item
#define GX (TN / RN) // items side by side
#define GY (TM / RM) // items one below the other
#define ITEMS (GX * GY)

// By tanh, as in GPT-2.
#define GELU(x) \
    (0.5f * (x) * (1 + tanh(0.79788456f * ((x) + 0.044715f * (x) * (x) * (x)))))

__attribute__((reqd_work_group_size(GX, GY, 1)))
kernel void fused(int M, int N, int K,
                  global const float *A,    // [M][K]
                  global const float *B,    // [K][N]
                  global const float *bias, // [N]
                  global float *D)          // [M][N]
{
    local float a_tile[TM][TK], b_tile[TK][TN];
    const int x = get_local_id(0), y = get_local_id(1);
    const uint item = y * GX + x;
    const int column0 = get_group_id(0) * TN, row0 = get_group_id(1) * TM;

    float sum[RM][RN] = {{0}}; // row row0 + y + r * GY, column column0 + x + c * GX
    for (int k0 = 0; k0 < K; k0 += TK) {
        for (uint i = item; i < TM * TK; i += ITEMS) {
            const int row = row0 + i / TK, k = k0 + i % TK;
            a_tile[i / TK][i % TK] = row < M && k < K ? A[row * K + k] : 0;
        }
        for (uint i = item; i < TK * TN; i += ITEMS) {
            const int k = k0 + i / TN, column = column0 + i % TN;
            b_tile[i / TN][i % TN] = k < K && column < N ? B[k * N + column] : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are there

        for (int k = 0; k < TK; k++)
            for (int r = 0; r < RM; r++)
                for (int c = 0; c < RN; c++)
                    sum[r][c] += a_tile[y + r * GY][k] * b_tile[k][x + c * GX];
        barrier(CLK_LOCAL_MEM_FENCE); // all have used them
    }

    unrolled_for (int r = 0; r < RM; r++)
        unrolled_for (int c = 0; c < RN; c++) {
            const int row = row0 + y + r * GY, column = column0 + x + c * GX;
            const int i = row * N + column;
            if (row < M && column < N)
                D[i] = GELU(sum[r][c] + bias[column]);
        }
}
