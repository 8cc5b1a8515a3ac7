// Lesson 8: tiling. One work-item computes a tile of C, not one element.
//
//     C[M][N] = A[M][K] * B[K][N], row-major; get_global_id(0) runs along a row of C.
//
// A multiply-add needs two elements. Lesson 6 copied them into local memory, and its
// strip reads one of them only once for eight sums. Here an item keeps rows and columns
// of sums, so that each element is read once for eight:
//
//     sums per item            elements read from the tile per multiply-add
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
// move loads across it. The first kernel of lesson 5 is slow without that promise.

#ifndef REAL // the element type, from --type
#define REAL float
#endif
// CAT(REAL, 4) is float4: the extra step lets REAL be replaced first.
#define GLUE(a, b) a##b
#define CAT(a, b) GLUE(a, b)
#define real4 CAT(REAL, 4)

// -------------------------------------------------------------------------------------
// 1. A tile of C per item: RM x RN elements, from a TM x TN tile per group, TK deep.
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
#define TK 16 // how deep the tiles are; local memory holds (TM + TN) * TK elements
#endif
#ifndef RM
#define RM 8 // rows of C per item
#endif
#ifndef RN
#define RN 8 // columns of C per item
#endif
#define GX (TN / RN) // items side by side
#define GY (TM / RM) // items one below the other
#define ITEMS (GX * GY) // items of a group
#if TM % RM || TN % RN
#error "RM must divide TM, and RN must divide TN: a tile is cut into RM x RN"
#endif
#if TM * TK % ITEMS || TK * TN % ITEMS
#error "TM*TK and TK*TN must be multiples of ITEMS: all items copy equally much"
#endif

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
        // The tiles do not have the group's shape, so the items walk each of them as
        // one long line. The loop's length is a constant: the compiler unrolls it and
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
            REAL b[RN]; // RN elements of B and RM of A make RM * RN products
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
// 2. The same tile, four elements a load.
//
// Group and multiples as in kernel 1. RM, RN and TK are multiples of 4, and TM * TK and
// TK * TN of 4 times the number of items. A load brings a real4, so an item owns 4 x 4
// blocks instead of scattered elements. With GX = GY = 2 and RM = RN = 8, a letter is
// such a block:
//
//     a b a b
//     c d c d
//     a b a b
//     c d c d
//
// Four sums of a column need four elements of A that lie below one another. So A's
// tile is transposed on its way into local memory: [k][row], where those four are
// neighbours.
//
// 3. Kernel 3 is kernel 2 with PAD 4. Why the padding helps stands at a_tile.

#ifndef PAD
#define PAD 4 // unused elements at the end of each row of a_tile
#endif
#if RM % 4 || RN % 4 || TK % 4 || PAD % 4
#error "RM, RN, TK and PAD must be multiples of 4: a load brings four elements"
#endif
#if TM * TK % (4 * ITEMS) || TK * TN % (4 * ITEMS)
#error "TM*TK and TK*TN must be multiples of 4*ITEMS: all items copy equally much"
#endif

__attribute__((reqd_work_group_size(GX, GY, 1)))
kernel void matmul_register_tile_vector(int M, int N, int K,
                                        global const REAL *restrict A, // [M][K]
                                        global const REAL *restrict B, // [K][N]
                                        global REAL *restrict C)       // [M][N]
{
    // Word i of local memory is in bank i % 32. 32 neighbouring items transpose 8 rows
    // of A at once: one store puts 8 elements into each of 4 rows of a_tile (k = 0, 4,
    // 8, 12). With rows of 64 all 4 meet in the same 8 banks; with 68, 2 and 2 do.
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
