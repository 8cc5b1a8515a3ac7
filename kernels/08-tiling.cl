// Lesson 8: tiling. One work-item computes a tile of C, not one element.
//
//     C[M][N] = A[M][K] * B[K][N], row-major; get_global_id(0) runs along a row of C.
//
// A multiply-add needs two numbers. Lesson 6 brought them closer (local memory), yet
// still read both for every multiply-add. Here an item keeps several sums in registers,
// so that each number it reads serves several multiply-adds:
//
//     sums per item            numbers read from the tile per multiply-add
//     1                        2
//     8 x 1 (a strip)          1 + 1/8
//     8 x 8 (a tile)           1/8 + 1/8
//
// No kernel here checks a bound. The host pads A and B with zeros until M, N and K are
// multiples of what the comment above each kernel names; zeros add nothing to a sum. M,
// then, is only for the host to know: it decides how many groups there are.
//
// From here on the arrays are `restrict`: a promise that none of them overlaps another.
// A store to C then changes nothing that is still to be loaded, and the compiler may
// move loads across it. The first kernel of lesson 5 is slow for want of that promise.

#ifndef REAL // the element type, from --type
#define REAL float
#endif
// CAT(REAL, 4) is float4: the extra step lets REAL be replaced first.
#define GLUE(a, b) a##b
#define CAT(a, b) GLUE(a, b)
#define real4 CAT(REAL, 4)

// -------------------------------------------------------------------------------------
// 1. A strip of C per item: STRIP elements of one column, TS / STRIP rows apart.
//
// Group of TS x TS/STRIP items. M, N and K are multiples of TS. With TS = 8 and
// STRIP = 4, the letters say which item of the group owns which element of its
// TS x TS tile of C:
//
//     a b c d e f g h     <- y = 0
//     i j k l m n o p     <- y = 1
//     a b c d e f g h
//     i j k l m n o p     ... and so on, to TS rows

#ifndef TS
#define TS 32
#endif
#ifndef STRIP
#define STRIP 8
#endif
#define STEP (TS / STRIP) // rows between two elements of a strip: the group's height

__attribute__((reqd_work_group_size(TS, STEP, 1)))
kernel void matmul_column_strip(int M, int N, int K,
                                global const REAL *restrict A, // [M][K]
                                global const REAL *restrict B, // [K][N]
                                global REAL *restrict C)       // [M][N]
{
    local REAL a_tile[TS][TS]; // [row][k]
    local REAL b_tile[TS][TS]; // [k][column]

    const int x = get_local_id(0);
    const int y = get_local_id(1);
    const int column = get_group_id(0) * TS + x;
    const int row0 = get_group_id(1) * TS; // the first row of the group's tile

    REAL sum[STRIP]; // sum[s] belongs to row row0 + y + s * STEP
    for (int s = 0; s < STRIP; s++)
        sum[s] = 0;

    for (int k0 = 0; k0 < K; k0 += TS) {
        // There are fewer items than tile elements now: each one fetches STRIP
        // of either tile.
        for (int s = 0; s < STRIP; s++) {
            const int row = y + s * STEP;
            a_tile[row][x] = A[(row0 + row) * K + k0 + x];
            b_tile[row][x] = B[(k0 + row) * N + column];
        }
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are full before anybody reads them

        for (int k = 0; k < TS; k++) {
            const REAL b = b_tile[k][x]; // read once, used STRIP times: the gain here
            for (int s = 0; s < STRIP; s++)
                sum[s] += a_tile[y + s * STEP][k] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE); // all have read before the tiles are overwritten
    }

    for (int s = 0; s < STRIP; s++)
        C[(row0 + y + s * STEP) * N + column] = sum[s];
}

// -------------------------------------------------------------------------------------
// 2. A tile of C per item: RM x RN elements, from a TM x TN tile per group, TK deep.
//
// Group of TN/RN x TM/RM items. M, N, K are multiples of TM, TN, TK; TM * TK and
// TK * TN are multiples of the number of items. An item's elements lie GX columns and
// GY rows apart, so that neighbouring items always touch neighbouring addresses.
//
// With GX = GY = 2 and RM = RN = 3, four items own a 6 x 6 tile like this:
//
//     a b a b a b
//     c d c d c d         a  x = 0, y = 0        b  x = 1, y = 0
//     a b a b a b         c  x = 0, y = 1        d  x = 1, y = 1
//     c d c d c d
//     a b a b a b
//     c d c d c d

#ifndef TM
#define TM 64 // rows of C per group
#endif
#ifndef TN
#define TN 128 // columns of C per group
#endif
#ifndef TK
#define TK 16 // how deep the tiles are; local memory holds (TM + TN) * TK numbers
#endif
#ifndef RM
#define RM 8 // rows of C per item
#endif
#ifndef RN
#define RN 8 // columns of C per item
#endif
#define GX (TN / RN) // items side by side
#define GY (TM / RM) // items one below the other
#define ITEMS (GX * GY)

__attribute__((reqd_work_group_size(GX, GY, 1)))
kernel void matmul_register_tile(int M, int N, int K,
                                 global const REAL *restrict A, // [M][K]
                                 global const REAL *restrict B, // [K][N]
                                 global REAL *restrict C)       // [M][N]
{
    local REAL a_tile[TM][TK]; // [row][k]
    local REAL b_tile[TK][TN]; // [k][column]

    const int x = get_local_id(0);
    const int y = get_local_id(1);
    const uint item = y * GX + x; // unsigned: i / TK is a shift and i % TK a mask
    const int column0 = get_group_id(0) * TN;
    const int row0 = get_group_id(1) * TM;

    REAL sum[RM][RN]; // sum[r][c]: row row0 + y + r * GY, column column0 + x + c * GX
    for (int r = 0; r < RM; r++)
        for (int c = 0; c < RN; c++)
            sum[r][c] = 0;

    for (int k0 = 0; k0 < K; k0 += TK) {
        // The tiles no longer have the group's shape, so the items walk them as one
        // long line. The number of rounds is a constant: the compiler unrolls them and
        // starts all loads at once.
        for (uint round = 0; round < TM * TK / ITEMS; round++) {
            const uint i = round * ITEMS + item;
            a_tile[i / TK][i % TK] = A[(row0 + i / TK) * K + k0 + i % TK];
        }
        for (uint round = 0; round < TK * TN / ITEMS; round++) {
            const uint i = round * ITEMS + item;
            b_tile[i / TN][i % TN] = B[(k0 + i / TN) * N + column0 + i % TN];
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < TK; k++) {
            REAL b[RN]; // a row of RN numbers and a column of RM make RM * RN products
            for (int c = 0; c < RN; c++)
                b[c] = b_tile[k][x + c * GX];
            for (int r = 0; r < RM; r++) {
                const REAL a = a_tile[y + r * GY][k];
                for (int c = 0; c < RN; c++)
                    sum[r][c] += a * b[c];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int r = 0; r < RM; r++)
        for (int c = 0; c < RN; c++)
            C[(row0 + y + r * GY) * N + column0 + x + c * GX] = sum[r][c];
}

// -------------------------------------------------------------------------------------
// 3. The same tile, moved four numbers at a time.
//
// Group and multiples as in kernel 2. RM, RN and TK are multiples of 4, and TM * TK and
// TK * TN of 4 times the number of items. What a load moves now is a real4, so an item
// owns 4 x 4 blocks instead of scattered elements. With GX = GY = 2 and RM = RN = 8, a
// letter is such a block:
//
//     a b a b
//     c d c d
//     a b a b
//     c d c d
//
// Four sums of a column need four numbers of A that lie below one another. So A's
// tile is turned round on its way into local memory: [k][row], where those four
// are neighbours.

#ifndef PAD
#define PAD 4 // unused numbers at the end of each row of a_tile: 0 or a multiple of 4
#endif

__attribute__((reqd_work_group_size(GX, GY, 1)))
kernel void matmul_register_tile_vector(int M, int N, int K,
                                        global const REAL *restrict A, // [M][K]
                                        global const REAL *restrict B, // [K][N]
                                        global REAL *restrict C)       // [M][N]
{
    // Local memory sits in 32 banks, word i in bank i % 32. 32 neighbouring items
    // turn 8 rows of A at once: 8 numbers into each of 4 rows of a_tile (k = 0, 4, 8,
    // 12). If those are 64 long, all 4 meet in the same 8 banks; if they are 68 long,
    // only 2 and 2 do.
    local REAL a_tile[TK][TM + PAD] // [k][row]
        __attribute__((aligned(4 * sizeof(REAL))));
    local real4 b_tile[TK][TN / 4]; // [k][column / 4]

    const int x = get_local_id(0);
    const int y = get_local_id(1);
    const uint item = y * GX + x;
    const int column0 = get_group_id(0) * TN;
    const int row0 = get_group_id(1) * TM;

    // A pointer to real4 promises an aligned address, which vload4 does not: one
    // load, not four.
    global const real4 *A4 = (global const real4 *)(A + row0 * K); // [TM][K / 4]
    global const real4 *B4 = (global const real4 *)(B + column0);  // [K][N / 4]
    global real4 *C4 = (global real4 *)(C + row0 * N + column0);   // [TM][N / 4]

    // sum[4i + n][j]: row 4(y + i * GY) + n, columns from 4(x + j * GX).
    real4 sum[RM][RN / 4];
    for (int r = 0; r < RM; r++)
        for (int j = 0; j < RN / 4; j++)
            sum[r][j] = (real4)(0);

    for (int k0 = 0; k0 < K; k0 += TK) {
        for (uint round = 0; round < TM * TK / 4 / ITEMS; round++) {
            const uint i = round * ITEMS + item;
            const uint row = i / (TK / 4);
            const uint k = i % (TK / 4) * 4;
            const real4 a = A4[row * (K / 4) + (k0 + k) / 4];
            a_tile[k + 0][row] = a.s0;
            a_tile[k + 1][row] = a.s1;
            a_tile[k + 2][row] = a.s2;
            a_tile[k + 3][row] = a.s3;
        }
        for (uint round = 0; round < TK * TN / 4 / ITEMS; round++) {
            const uint i = round * ITEMS + item;
            b_tile[i / (TN / 4)][i % (TN / 4)] =
                B4[(k0 + i / (TN / 4)) * (N / 4) + i % (TN / 4)];
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < TK; k++) {
            real4 b[RN / 4];
            for (int j = 0; j < RN / 4; j++)
                b[j] = b_tile[k][x + j * GX];
            for (int i = 0; i < RM / 4; i++) {
                const real4 a = *(local const real4 *)&a_tile[k][4 * (y + i * GY)];
                for (int j = 0; j < RN / 4; j++) {
                    sum[4 * i + 0][j] += a.s0 * b[j];
                    sum[4 * i + 1][j] += a.s1 * b[j];
                    sum[4 * i + 2][j] += a.s2 * b[j];
                    sum[4 * i + 3][j] += a.s3 * b[j];
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int r = 0; r < RM; r++)
        for (int j = 0; j < RN / 4; j++)
            C4[(4 * (y + r / 4 * GY) + r % 4) * (N / 4) + x + j * GX] = sum[r][j];
}

// -------------------------------------------------------------------------------------
// 4. A tile of C per item and no local memory: the shape that suits a CPU.
//
// A CPU has no local memory of its own: a copy into it goes from the cache to the
// cache, and a barrier makes the driver run every item up to it before any goes on.
// What a CPU has is wide vector registers: here a tile of sums is made of them, and the
// rest is left to the caches.
//
// Group of P_GROUP_X x P_GROUP_Y items. N is a multiple of
// P_GROUP_X * P_VECTORS * P_WIDTH, M of P_GROUP_Y * P_ROWS, K of 1. An item owns P_ROWS
// rows of P_VECTORS vectors, all side by side:
//
//     |<---- b[0] ---->|<---- b[1] ---->|<---- b[2] ---->|      read once per k
//     | sum[0][0]      | sum[0][1]      | sum[0][2]      |      times A[row0 + 0][k]
//     | sum[1][0]      | sum[1][1]      | sum[1][2]      |      times A[row0 + 1][k]
//     |  ...           |  ...           |  ...           |      ...
//
// 8 x 3 sums, 3 vectors of B and one number of A: 28 of the 32 registers that AVX-512
// has. AVX2 has 16, half as wide: there -D P_WIDTH=8 -D P_ROWS=4 takes 12 + 3 + 1. A
// GPU wants neighbouring items to read neighbouring vectors: -D P_WIDTH=4
// -D P_VECTORS=1 -D P_GROUP_X=16.

#ifndef P_WIDTH
#define P_WIDTH 16 // numbers per vector: 2, 4, 8 or 16
#endif
#ifndef P_VECTORS
#define P_VECTORS 3 // 3 x 16 divide no power of two: padding makes N a kinder stride
#endif
#ifndef P_ROWS
#define P_ROWS 8
#endif
#ifndef P_GROUP_X
#define P_GROUP_X 1 // items of a group share columns: B's stay in the cache for all
#endif
#ifndef P_GROUP_Y
#define P_GROUP_Y 16
#endif
#define realP CAT(REAL, P_WIDTH)

__attribute__((reqd_work_group_size(P_GROUP_X, P_GROUP_Y, 1)))
kernel void matmul_register_tile_private(int M, int N, int K,
                                         global const REAL *restrict A, // [M][K]
                                         global const REAL *restrict B, // [K][N]
                                         global REAL *restrict C)       // [M][N]
{
    const int vector0 = get_global_id(0) * P_VECTORS; // the first column, in vectors
    const int row0 = get_global_id(1) * P_ROWS;
    const int row_length = N / P_WIDTH; // of B and C, in vectors
    global const realP *B_wide = (global const realP *)B; // [K][row_length]
    global realP *C_wide = (global realP *)C;             // [M][row_length]

    // An array can live in registers only if every index is known when the kernel is
    // built, which takes unrolled loops. PoCL's compiler unrolls them only if told:
    // untold, it has a third of the speed, or less.
    realP sum[P_ROWS][P_VECTORS];
    #pragma unroll
    for (int r = 0; r < P_ROWS; r++)
        #pragma unroll
        for (int v = 0; v < P_VECTORS; v++)
            sum[r][v] = (realP)(0);

    for (int k = 0; k < K; k++) {
        realP b[P_VECTORS];
        #pragma unroll
        for (int v = 0; v < P_VECTORS; v++)
            b[v] = B_wide[k * row_length + vector0 + v];
        #pragma unroll
        for (int r = 0; r < P_ROWS; r++) {
            const REAL a = A[(row0 + r) * K + k];
            #pragma unroll
            for (int v = 0; v < P_VECTORS; v++)
                sum[r][v] += a * b[v];
        }
    }

    #pragma unroll
    for (int r = 0; r < P_ROWS; r++)
        #pragma unroll
        for (int v = 0; v < P_VECTORS; v++)
            C_wide[(row0 + r) * row_length + vector0 + v] = sum[r][v];
}
