// Lesson 11: autotuning. Three kernels whose shapes are left open.
//
//     C[M][N] = A[M][K] * B[K][N], row-major; get_global_id(0) runs along a row of C.
//
// They are the ideas of lessons 8 and 9: a tile of C per item, fed from local memory,
// from the caches, or from panels. There every size was chosen by hand, for two
// devices. Here every size is a parameter that a search may set (-D TM=128), and the
// kernels are right for all values that meet the constraints above each. The values in
// this file are where a search may begin.
//
// The first two check no bound. The host pads A and B with zeros until M, N and K are
// multiples of what the comment above each kernel names; zeros add nothing to a sum. M,
// then, is only for the host to know: it decides how many groups there are.

#ifndef REAL // the element type, from --type
#define REAL float
#endif
// CAT(REAL, 4) is float4: the extra step lets REAL be replaced first.
#define GLUE(a, b) a##b
#define CAT(a, b) GLUE(a, b)

// -------------------------------------------------------------------------------------
// 1. A tile of C per item, fed from local memory: the shape of a GPU.
//
// A group of ITEMS = TN/RN x TM/RM items computes a TM x TN tile of C, and moves WIDTH
// elements at a time. Constraints: M, N, K are multiples of TM, TN, TK; TM, TN of RM,
// RN; RM, RN, TK, PAD of WIDTH; TM * TK and TK * TN of WIDTH * ITEMS. Local memory
// holds TK * (TM + PAD + TN) elements.

#ifndef TM
#define TM 64 // rows of C per group
#endif
#ifndef TN
#define TN 128 // columns of C per group
#endif
#ifndef TK
#define TK 16 // how deep the tiles are
#endif
#ifndef RM
#define RM 8 // rows of C per item
#endif
#ifndef RN
#define RN 8 // columns of C per item
#endif
#ifndef WIDTH
#define WIDTH 4 // elements that a load or store moves: 1, 2, 4, 8 or 16
#endif
#ifndef PAD
#define PAD 4 // unused elements at the end of a row of a_tile, against bank conflicts
#endif
#ifndef UNROLL
#define UNROLL 1 // here: iterations that the loops over an item's sums take at once
#endif
#define GX (TN / RN) // items side by side
#define GY (TM / RM) // items one below the other
#define ITEMS (GX * GY)
#if TM % RM || TN % RN
#error "RM must divide TM, and RN must divide TN: a tile is cut into RM x RN"
#endif
#if RM % WIDTH || RN % WIDTH || TK % WIDTH || PAD % WIDTH
#error "RM, RN, TK and PAD must be multiples of WIDTH: a load moves WIDTH elements"
#endif
#if TM * TK % (WIDTH * ITEMS) || TK * TN % (WIDTH * ITEMS)
#error "TM*TK and TK*TN must be multiples of WIDTH*ITEMS: all items copy as much"
#endif

#if WIDTH == 1
#define realW REAL // there is no float1
#else
#define realW CAT(REAL, WIDTH)
#endif
#define ALIGNED __attribute__((aligned(WIDTH * sizeof(REAL)))) // as a realW needs it

__attribute__((reqd_work_group_size(GX, GY, 1)))
kernel void matmul_tunable_local(int M, int N, int K,
                                 global const REAL *restrict A, // [M][K]
                                 global const REAL *restrict B, // [K][N]
                                 global REAL *restrict C)       // [M][N]
{
    local REAL a_tile[TK][TM + PAD] ALIGNED; // [k][row]: transposed on its way in
    local realW b_tile[TK][TN / WIDTH];      // [k][column / WIDTH]

    const int x = get_local_id(0);
    const int y = get_local_id(1);
    const uint item = y * GX + x; // unsigned: a division by a power of two is a shift
    const int column0 = get_group_id(0) * TN;
    const int row0 = get_group_id(1) * TM;

    // [TM][K / WIDTH], [K][N / WIDTH] and [TM][N / WIDTH].
    global const realW *A_wide = (global const realW *)(A + row0 * K);
    global const realW *B_wide = (global const realW *)(B + column0);
    global realW *C_wide = (global realW *)(C + row0 * N + column0);

    // sum[WIDTH * i + n][j]: row WIDTH * (y + i * GY) + n, columns from
    // WIDTH * (x + j * GX). Compilers disagree about the loops over it. A GPU's must
    // unroll them, or the sums are not in registers; PoCL's, which runs all items up to
    // each barrier, is the better for not doing so.
    realW sum[RM][RN / WIDTH];
    #pragma unroll UNROLL
    for (int r = 0; r < RM; r++)
        #pragma unroll UNROLL
        for (int j = 0; j < RN / WIDTH; j++)
            sum[r][j] = (realW)(0);

    for (int k0 = 0; k0 < K; k0 += TK) {
        // The items walk the tiles as one long line, in a number of rounds that
        // is a constant.
        #pragma unroll UNROLL
        for (uint round = 0; round < TM * TK / WIDTH / ITEMS; round++) {
            const uint i = round * ITEMS + item;
            const uint row = i / (TK / WIDTH);
            const uint k = i % (TK / WIDTH) * WIDTH;
            REAL a[WIDTH] ALIGNED;
            *(realW *)a = A_wide[row * (K / WIDTH) + (k0 + k) / WIDTH];
            #pragma unroll UNROLL
            for (int n = 0; n < WIDTH; n++)
                a_tile[k + n][row] = a[n];
        }
        #pragma unroll UNROLL
        for (uint round = 0; round < TK * TN / WIDTH / ITEMS; round++) {
            const uint i = round * ITEMS + item;
            const uint k = i / (TN / WIDTH);
            const uint column = i % (TN / WIDTH);
            b_tile[k][column] = B_wide[(k0 + k) * (N / WIDTH) + column];
        }
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are full before anybody reads them

        for (int k = 0; k < TK; k++) {
            realW b[RN / WIDTH];
            #pragma unroll UNROLL
            for (int j = 0; j < RN / WIDTH; j++)
                b[j] = b_tile[k][x + j * GX];
            #pragma unroll UNROLL
            for (int i = 0; i < RM / WIDTH; i++) {
                REAL a[WIDTH] ALIGNED;
                *(realW *)a = *(local const realW *)&a_tile[k][WIDTH * (y + i * GY)];
                #pragma unroll UNROLL
                for (int n = 0; n < WIDTH; n++)
                    #pragma unroll UNROLL
                    for (int j = 0; j < RN / WIDTH; j++)
                        sum[WIDTH * i + n][j] += a[n] * b[j];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE); // all have read before the tiles are overwritten
    }

    #pragma unroll UNROLL
    for (int r = 0; r < RM; r++)
        #pragma unroll UNROLL
        for (int j = 0; j < RN / WIDTH; j++) {
            const int row = WIDTH * (y + r / WIDTH * GY) + r % WIDTH;
            C_wide[row * (N / WIDTH) + x + j * GX] = sum[r][j];
        }
}

// -------------------------------------------------------------------------------------
// 2. A tile of C per item, fed from the caches: the shape of a CPU.
//
// An item computes ROWS rows of VECTORS vectors, all side by side. Constraints: N is a
// multiple of GROUP_X * VECTORS * LANES, M of GROUP_Y * ROWS, K of 1. The sums, one row
// of vectors of B and one number of A should fit the registers.

#ifndef LANES
#define LANES 16 // elements per vector: 1, 2, 4, 8 or 16
#endif
#if LANES == 3 || WIDTH == 3
#error "LANES and WIDTH must be no 3: such a vector lies in memory like one of 4"
#endif
#ifndef VECTORS
#define VECTORS 3 // vectors of C per row of an item
#endif
#ifndef ROWS
#define ROWS 8 // rows of C per item
#endif
#ifndef GROUP_X
#define GROUP_X 1 // items side by side
#endif
#ifndef GROUP_Y
#define GROUP_Y 16 // items one below the other
#endif
// UNROLL, here: values of k for each iteration of the long loop. The short ones are
// unrolled always.

#if LANES == 1
#define realP REAL
#else
#define realP CAT(REAL, LANES)
#endif

__attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
kernel void matmul_tunable_private(int M, int N, int K,
                                   global const REAL *restrict A, // [M][K]
                                   global const REAL *restrict B, // [K][N]
                                   global REAL *restrict C)       // [M][N]
{
    const int vector0 = get_global_id(0) * VECTORS; // the first column, in vectors
    const int row0 = get_global_id(1) * ROWS;
    const int row_length = N / LANES; // of B and C, in vectors
    global const realP *B_wide = (global const realP *)B; // [K][row_length]
    global realP *C_wide = (global realP *)C;             // [M][row_length]

    realP sum[ROWS][VECTORS];
    #pragma unroll
    for (int r = 0; r < ROWS; r++)
        #pragma unroll
        for (int v = 0; v < VECTORS; v++)
            sum[r][v] = (realP)(0);

    #pragma unroll UNROLL
    for (int k = 0; k < K; k++) {
        realP b[VECTORS];
        #pragma unroll
        for (int v = 0; v < VECTORS; v++)
            b[v] = B_wide[k * row_length + vector0 + v];
        #pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const REAL a = A[(row0 + r) * K + k];
            #pragma unroll
            for (int v = 0; v < VECTORS; v++)
                sum[r][v] += a * b[v];
        }
    }

    #pragma unroll
    for (int r = 0; r < ROWS; r++)
        #pragma unroll
        for (int v = 0; v < VECTORS; v++)
            C_wide[(row0 + r) * row_length + vector0 + v] = sum[r][v];
}

// -------------------------------------------------------------------------------------
// 3. The same tile, fed from panels: lesson 9's kernel for a CPU.
//
// B is packed first, into panels as wide as an item's tile, so that what an item
// reads of it is one piece of memory. A group is one item, which computes TILES
// tiles, one below the other, with the same panel. LANES is 2 at least. Nothing is
// padded: the kernel that packs fills the last panel with zeros, and the edges of A
// and C are guarded.

#ifndef TILES
#define TILES 16 // tiles per item
#endif
#define PANEL (LANES * VECTORS)

#if LANES > 1
#define vloadP CAT(vload, LANES)
#define vstoreP CAT(vstore, LANES)

// One item moves one row of one panel.
kernel void pack_b(int K, int N,
                   global const REAL *restrict B, // [K][N]
                   global REAL *restrict panels)  // [N / PANEL, rounded up][K][PANEL]
{
    const int panel = get_global_id(0);
    const int k = get_global_id(1);
    const int column0 = panel * PANEL;
    if (column0 >= N || k >= K)
        return;
    global const REAL *from = B + k * N + column0;
    global REAL *to = panels + (panel * K + k) * PANEL;
    if (column0 + PANEL <= N)
        #pragma unroll
        for (int v = 0; v < VECTORS; v++)
            vstoreP(vloadP(v, from), v, to);
    else
        for (int c = 0; c < PANEL; c++)
            to[c] = column0 + c < N ? from[c] : (REAL)0;
}

// A tile's sums into C. Where the tile reaches over the edge they go through an array,
// since the lanes of a vector cannot be counted through. Whole tiles pay one
// comparison for that.
inline void store_tile(realP sum[ROWS][VECTORS],
                       global REAL *C, // [M][N]
                       int M, int N, int row0, int column0)
{
    if (row0 + ROWS <= M && column0 + PANEL <= N) {
        #pragma unroll
        for (int r = 0; r < ROWS; r++)
            #pragma unroll
            for (int v = 0; v < VECTORS; v++)
                vstoreP(sum[r][v], v, C + (row0 + r) * N + column0);
        return;
    }
    REAL tile[ROWS][PANEL];
    #pragma unroll
    for (int r = 0; r < ROWS; r++)
        #pragma unroll
        for (int v = 0; v < VECTORS; v++)
            vstoreP(sum[r][v], v, tile[r]);
    for (int r = 0; r < ROWS && row0 + r < M; r++)
        for (int c = 0; c < PANEL && column0 + c < N; c++)
            C[(row0 + r) * N + column0 + c] = tile[r][c];
}

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void matmul_tunable_packed(int M, int N, int K,
                                  global const REAL *restrict A, // [M][K]
                                  global const REAL *restrict B, // [panels][K][PANEL]
                                  global REAL *restrict C)       // [M][N]
{
    const int panel = get_global_id(0);
    const int block0 = get_global_id(1) * TILES * ROWS; // the block's first row
    // The item's panel of B: [K][VECTORS].
    global const realP *b_panel = (global const realP *)(B + panel * K * PANEL);

    for (int row0 = block0; row0 < min(block0 + TILES * ROWS, M); row0 += ROWS) {
        // A has no row M: at the edge the last row is read instead, and what comes of
        // it not stored.
        global const REAL *a_row[ROWS];
        #pragma unroll
        for (int r = 0; r < ROWS; r++)
            a_row[r] = A + min(row0 + r, M - 1) * K;

        realP sum[ROWS][VECTORS];
        #pragma unroll
        for (int r = 0; r < ROWS; r++)
            #pragma unroll
            for (int v = 0; v < VECTORS; v++)
                sum[r][v] = (realP)(0);

        #pragma unroll UNROLL
        for (int k = 0; k < K; k++) {
            realP b[VECTORS];
            #pragma unroll
            for (int v = 0; v < VECTORS; v++)
                b[v] = b_panel[k * VECTORS + v];
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const REAL a = a_row[r][k];
                #pragma unroll
                for (int v = 0; v < VECTORS; v++)
                    sum[r][v] += a * b[v];
            }
        }
        store_tile(sum, C, M, N, row0, panel * PANEL);
    }
}
#endif
