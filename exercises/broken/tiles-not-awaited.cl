// Symptom: right on a CPU, whose copy is a loop. On a device that copies while it
// computes the result is wrong, and not the same each time.
// Run: lesson13 --only matmul_group_copy --size 37x91x53

#define unrolled_for _Pragma("unroll") for
#ifndef TM
#define TM 64  // rows of C per group
#define TN 128 // columns of C per group
#define RM 8   // rows of C per item
#define RN 8   // columns of C per item
#endif
#define TK 16        // how deep the tiles are
#define GX (TN / RN) // items of a group side by side
#define GY (TM / RM) // and one below the other
#define padded(K) (((K) + TK - 1) / TK * TK) // K, rounded up to whole tiles

#define PACK 32     // side of what a group packs at once; TM and TN are multiples of it
#define PACK_ROWS 8 // rows of items of such a group

// These two pack A and B, as in the lesson: each tile becomes one run of numbers, with
// zeros for those that do not exist.
__attribute__((reqd_work_group_size(PACK, PACK_ROWS, 1)))
kernel void pack_a_runs(int M, int K,
                        global const float *restrict A, // [M][K]
                        global float *restrict packed)  // [panels][padded(K)][TM]
{
    local float tile[PACK][PACK + 1]; // read along a row, written down a column
    const int x = get_local_id(0);
    const int y = get_local_id(1);
    const int k0 = get_group_id(0) * PACK;
    const int row0 = get_group_id(1) * PACK;
    unrolled_for (int r = 0; r < PACK; r += PACK_ROWS) {
        const int row = row0 + y + r;
        tile[y + r][x] = row < M && k0 + x < K ? A[row * K + k0 + x] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    global float *panel = packed + row0 / TM * TM * padded(K) + row0 % TM;
    unrolled_for (int r = 0; r < PACK; r += PACK_ROWS)
        if (k0 + y + r < padded(K))
            panel[(k0 + y + r) * TM + x] = tile[x][y + r];
}

__attribute__((reqd_work_group_size(PACK, PACK_ROWS, 1)))
kernel void pack_b_runs(int K, int N,
                        global const float *restrict B, // [K][N]
                        global float *restrict packed)  // [panels][padded(K)][TN]
{
    const int column = get_global_id(0);
    const int k0 = get_group_id(1) * PACK + get_local_id(1);
    global float *panel = packed + column / TN * TN * padded(K) + column % TN;
    float v[PACK / PACK_ROWS]; // all loads first: they are in flight together
    unrolled_for (int i = 0; i < PACK / PACK_ROWS; i++) {
        const int k = k0 + i * PACK_ROWS;
        v[i] = k < K && column < N ? B[k * N + column] : 0;
    }
    unrolled_for (int i = 0; i < PACK / PACK_ROWS; i++)
        if (k0 + i * PACK_ROWS < padded(K))
            panel[(k0 + i * PACK_ROWS) * TN] = v[i];
}

// C[M][N] = A[M][K] * B[K][N], A and B packed. A tile is copied by the whole group, at
// one request.
__attribute__((reqd_work_group_size(GX, GY, 1)))
kernel void matmul_group_copy(int M, int N, int K,
                              global const float *restrict A, // [panels][depth][TM]
                              global const float *restrict B, // [panels][depth][TN]
                              global float *restrict C)       // [M][N]
{
    local float a_tile[TK][TM];
    local float b_tile[TK][TN];

    const int x = get_local_id(0), y = get_local_id(1);
    const int column0 = get_group_id(0) * TN;
    const int row0 = get_group_id(1) * TM;
    const int depth = padded(K);

    float sum[RM][RN] = {{0}}; // rows y, y + GY, ... and columns x, x + GX, ...
    for (int k0 = 0; k0 < depth; k0 += TK) {
        event_t copied = async_work_group_copy(
            a_tile[0], A + row0 * depth + k0 * TM, TK * TM, 0);
        copied = async_work_group_copy(
            b_tile[0], B + column0 * depth + k0 * TN, TK * TN, copied);
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are full before anybody reads them
        unrolled_for (int k = 0; k < TK; k++)
            unrolled_for (int r = 0; r < RM; r++)
                unrolled_for (int c = 0; c < RN; c++)
                    sum[r][c] += a_tile[k][y + r * GY] * b_tile[k][x + c * GX];
        barrier(CLK_LOCAL_MEM_FENCE); // all have read before the tiles are overwritten
    }
    unrolled_for (int r = 0; r < RM; r++)
        unrolled_for (int c = 0; c < RN; c++) {
            const int row = row0 + y + r * GY, column = column0 + x + c * GX;
            if (row < M && column < N)
                C[row * N + column] = sum[r][c];
        }
}
