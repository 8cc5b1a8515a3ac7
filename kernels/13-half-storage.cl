// Lesson 13: beyond fp32. Operands of 16 bits, and sub-groups in a product: standard
// OpenCL C.
//
//     C[M][N] = A[M][K] * B[K][N], row-major; C is float.

#define unrolled_for _Pragma("unroll") for // a loop that the compiler writes out

// -------------------------------------------------------------------------------------
// 1. Half storage. Memory holds halves, registers hold floats: vloada_half4 loads four
// halves from an address that is a multiple of their size, and makes floats of them.
// It is in OpenCL C since 1.0 and needs no extension: to compute in half would need
// one.

#ifndef STORED_HALF
#define STORED_HALF 1
#endif

#if STORED_HALF
#define STORED half
#define load1(at) vload_half(0, at)
#define load4(at) vloada_half4(0, at)
#define load8(at) vloada_half8(0, at)
#define load16(at) vloada_half16(0, at)
#else
#define STORED float
#define load1(at) (*(at))
#define load4(at) (*(global const float4 *)(at))
#define load8(at) (*(global const float8 *)(at))
#define load16(at) (*(global const float16 *)(at))
#endif

#ifndef LANES
#define LANES 8 // items that share a sum
#endif
#ifndef ACROSS
#define ACROSS 32 // items side by side
#endif
#if WIDE // an item's columns: as many as one load takes
#define COLUMNS 8
#define FLOATS float8
#define load load8
#else
#define COLUMNS 4
#define FLOATS float4
#define load load4
#endif

// Much memory, little arithmetic: each element of B serves one multiply-add, if M is 1.
// Group of ACROSS x LANES items, for ACROSS * COLUMNS columns and LANES rows of C. N is
// a multiple of COLUMNS.
__attribute__((reqd_work_group_size(ACROSS, LANES, 1)))
kernel void matmul_row_stored(int M, int N, int K,
                              global const STORED *restrict A, // [M][K]
                              global const STORED *restrict B, // [K][N]
                              global float *restrict C)        // [M][N]
{
    local FLOATS shares[LANES][ACROSS];
    const int x = get_local_id(0);
    const int lane = get_local_id(1);
    const int column = get_global_id(0) * COLUMNS;
    const int end = min(M, ((int)get_group_id(1) + 1) * LANES);
    for (int row = get_group_id(1) * LANES; row < end; row++) {
        FLOATS sum = 0;
        if (column < N) {
            #pragma unroll 8 // as many loads of B are in flight
            for (int k = lane; k < K; k += LANES)
                sum += load1(A + row * K + k) * load(B + k * N + column);
        }
        shares[lane][x] = sum;
        barrier(CLK_LOCAL_MEM_FENCE); // all shares are there
        if (lane == 0 && column < N) {
            for (int other = 1; other < LANES; other++)
                sum += shares[other][x];
            *(global FLOATS *)(C + row * N + column) = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE); // they have been read
    }
}

#define TS 64 // side of the tile of C
#define TD 16 // depth of the tiles of A and B

// Bound by arithmetic, on a GPU: lesson 8's tile, 4 x 4 elements for an item. Local
// memory holds floats: a number is loaded once and used 64 times. M and N are multiples
// of TS, K of TD.
__attribute__((reqd_work_group_size(16, 16, 1)))
kernel void matmul_tile_stored(int M, int N, int K,
                               global const STORED *restrict A, // [M][K]
                               global const STORED *restrict B, // [K][N]
                               global float *restrict C)        // [M][N]
{
    local float a_tile[TD][TS + 4]; // transposed
    local float4 b_tile[TD][TS / 4];

    const int x = get_local_id(0);
    const int y = get_local_id(1);
    const int item = y * 16 + x;
    const int a_row = item / 4; // of the item's four elements of A's tile
    const int a_k = item % 4 * 4;
    global const STORED *a_from = A + (get_group_id(1) * TS + a_row) * K + a_k;
    global const STORED *b_from = B + y * N + get_group_id(0) * TS + x * 4;

    float4 sum[4] = {0, 0, 0, 0};
    for (int k0 = 0; k0 < K; k0 += TD) {
        const float4 a = load4(a_from + k0);
        a_tile[a_k][a_row] = a.s0;
        a_tile[a_k + 1][a_row] = a.s1;
        a_tile[a_k + 2][a_row] = a.s2;
        a_tile[a_k + 3][a_row] = a.s3;
        b_tile[y][x] = load4(b_from + k0 * N);
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are full
        unrolled_for (int k = 0; k < TD; k++) {
            const float4 b = b_tile[k][x];
            unrolled_for (int r = 0; r < 4; r++)
                sum[r] += a_tile[k][4 * y + r] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE); // they have been read
    }
    global float *to =
        C + (get_group_id(1) * TS + 4 * y) * N + get_group_id(0) * TS + 4 * x;
    unrolled_for (int r = 0; r < 4; r++)
        *(global float4 *)(to + r * N) = sum[r];
}

// The same for a CPU: an item has 4 rows of 16 columns, all in registers. Any group; M
// is a multiple of 4, and N of 16.
kernel void matmul_strip_stored(int M, int N, int K,
                                global const STORED *restrict A, // [M][K]
                                global const STORED *restrict B, // [K][N]
                                global float *restrict C)        // [M][N]
{
    const int column = get_global_id(0) * 16;
    const int row = get_global_id(1) * 4;
    if (row >= M || column >= N)
        return;
    float16 sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < K; k++) {
        const float16 b = load16(B + k * N + column);
        unrolled_for (int r = 0; r < 4; r++)
            sum[r] += load1(A + (row + r) * K + k) * b;
    }
    unrolled_for (int r = 0; r < 4; r++)
        *(global float16 *)(C + (row + r) * N + column) = sum[r];
}

// The half that is nearest.
float rounded(float x)
{
    ushort bits;
    vstore_half(x, 0, (private half *)&bits);
    return vload_half(0, (private half *)&bits);
}

// Why sums stay floats. One item: out[0] is the sum in floats, out[1] the sum that is
// rounded to a half after each addition.
kernel void sum_of_halves(int n, global const half *restrict in, // [n]
                          global float *restrict out)            // [2]
{
    float sum = 0, half_sum = 0;
    for (int i = 0; i < n; i++) {
        sum += vload_half(i, in);
        half_sum = rounded(half_sum + vload_half(i, in));
    }
    out[0] = sum;
    out[1] = half_sum;
}

// -------------------------------------------------------------------------------------
// 2. Sub-groups in a product. The items of a sub-group need the same elements of A and
// neighbouring ones of B. Without local memory each item loads all of A's: BROADCAST=0.
// With BROADCAST=1 an item loads one k of A's rows, a sub-group's items neighbouring
// ones, and sub_group_broadcast hands one item's register to all.
//
// Group of 64 x 1 items; an item has ROWS rows of a column. M, N and K are anything.

#ifdef SUB_GROUPS

#define ROWS 8

__attribute__((reqd_work_group_size(64, 1, 1)))
kernel void matmul_sub_group(int M, int N, int K,
                             global const float *restrict A, // [M][K]
                             global const float *restrict B, // [K][N]
                             global float *restrict C)       // [M][N]
{
    const int lanes = get_sub_group_size();
    const int lane = get_sub_group_local_id();
    const int column = get_global_id(0);
    const int row = get_global_id(1) * ROWS;
    global const float *b = B + min(column, N - 1);
    float sum[ROWS];
    unrolled_for (int r = 0; r < ROWS; r++)
        sum[r] = 0;
    for (int k0 = 0; k0 < K; k0 += lanes) {
        float own[ROWS]; // of A, at k0 + lane
        unrolled_for (int r = 0; r < ROWS; r++)
            own[r] = A[min(row + r, M - 1) * K + min(k0 + lane, K - 1)];
        // The same for all items, so they stay together.
        const int depth = min(lanes, K - k0);
        for (int i = 0; i < depth; i++) {
            const float one = b[(k0 + i) * N];
            unrolled_for (int r = 0; r < ROWS; r++)
#if BROADCAST
                sum[r] += sub_group_broadcast(own[r], i) * one;
#else
                sum[r] += A[min(row + r, M - 1) * K + k0 + i] * one;
#endif
        }
    }
    unrolled_for (int r = 0; r < ROWS; r++)
        if (row + r < M && column < N)
            C[(row + r) * N + column] = sum[r];
}

#endif
