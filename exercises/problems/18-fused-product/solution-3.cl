// The fused product, stage 3: sums of neighbours, and the next tiles on their way.
//
// Four neighbours of a row of B's tile, and of a column of A's, come in one load each:
// A's tile is stored transposed for it. While a pair of tiles is used, the next is on
// its way to registers, from where it goes to another pair: so one barrier for each pair
// is enough.

#define unrolled_for _Pragma("unroll") for // a loop that the compiler writes out
#define TM 64 // rows of C per group
#define TN 64 // columns of C per group
#define TK 16 // how deep the tiles are
#define GX (TN / 4) // items side by side: each has 4 x 4 neighbours of C
#define GY (TM / 4) // items one below the other
#define ITEMS (GX * GY)
#define LOADS (TM * TK / ITEMS) // of an item, from A and from B

// By tanh, as in GPT-2.
#define GELU(x) \
    (0.5f * (x) * (1 + tanh(0.79788456f * ((x) + 0.044715f * (x) * (x) * (x)))))

// This item's elements of the tiles from k0 on; zeros where there are none.
void load(float a[LOADS], float b[LOADS], global const float *A, global const float *B,
          int M, int N, int K, int row0, int column0, int k0, int item)
{
    unrolled_for (int q = 0; q < LOADS; q++) {
        const int i = item + q * ITEMS;
        const int row = row0 + i / TK, a_k = k0 + i % TK;
        a[q] = row < M && a_k < K ? A[row * K + a_k] : 0;
        const int b_k = k0 + i / TN, column = column0 + i % TN;
        b[q] = b_k < K && column < N ? B[b_k * N + column] : 0;
    }
}

__attribute__((reqd_work_group_size(GX, GY, 1)))
kernel void fused(int M, int N, int K,
                  global const float *A,    // [M][K]
                  global const float *B,    // [K][N]
                  global const float *bias, // [N]
                  global float *D)          // [M][N]
{
    // Rows of A's tile lie 4 floats further apart: fewer stores meet in a bank.
    local float a_tile[2][TK][TM + 4] __attribute__((aligned(16)));
    local float b_tile[2][TK][TN] __attribute__((aligned(16)));
    const int x = get_local_id(0), y = get_local_id(1), item = y * GX + x;
    const int column0 = get_group_id(0) * TN, row0 = get_group_id(1) * TM;

    float4 sum[4] = {0, 0, 0, 0}; // of rows row0 + y * 4 + r, from column0 + x * 4 on
    float a[LOADS], b[LOADS];
    load(a, b, A, B, M, N, K, row0, column0, 0, item);
    for (int k0 = 0, t = 0; k0 < K; k0 += TK, t = 1 - t) {
        unrolled_for (int q = 0; q < LOADS; q++) {
            const int i = item + q * ITEMS;
            a_tile[t][i % TK][i / TK] = a[q];
            b_tile[t][i / TN][i % TN] = b[q];
        }
        barrier(CLK_LOCAL_MEM_FENCE); // pair t is there, and nobody reads the other
        load(a, b, A, B, M, N, K, row0, column0, k0 + TK, item);
        unrolled_for (int k = 0; k < TK; k++) {
            const float4 of_a = *(local const float4 *)&a_tile[t][k][y * 4];
            const float4 of_b = *(local const float4 *)&b_tile[t][k][x * 4];
            sum[0] += of_a.x * of_b;
            sum[1] += of_a.y * of_b;
            sum[2] += of_a.z * of_b;
            sum[3] += of_a.w * of_b;
        }
    }

    unrolled_for (int r = 0; r < 4; r++) {
        const float lane[4] = {sum[r].x, sum[r].y, sum[r].z, sum[r].w};
        unrolled_for (int c = 0; c < 4; c++) {
            const int row = row0 + y * 4 + r, column = column0 + x * 4 + c;
            if (row < M && column < N)
                D[row * N + column] = GELU(lane[c] + bias[column]);
        }
    }
}
