// Symptom: right at every size, on most days. On a bad one the process dies.
// Run: lesson10 --only matmul_prefetch --size 37x91x53

#ifndef REAL // the element type, from --type
#define REAL float
#endif
// CAT(REAL, 4) is float4: the extra step lets REAL be replaced first.
#define GLUE(a, b) a##b
#define CAT(a, b) GLUE(a, b)
#define unrolled_for _Pragma("unroll") for
#define real4 CAT(REAL, 4)

#ifndef TM
#define TM 64 // rows of C per group
#endif
#ifndef TN
#define TN 128 // columns of C per group
#endif
#ifndef TK
#define TK 16 // how deep the tiles are: even, and a multiple of 4
#endif
#ifndef RM
#define RM 8 // rows of C per item, a multiple of 4
#endif
#ifndef RN
#define RN 8 // columns of C per item, a multiple of 4
#endif
#ifndef PAD
#define PAD 4 // unused elements at the end of a row of A's tile: 0 or a multiple of 4
#endif
#ifndef SERPENTINE
#define SERPENTINE 1 // the order of the multiply-adds
#endif
#ifndef LX
#define LX 8 // items of a warp side by side
#endif
#ifndef LY
#define LY 4 // and one below the other
#endif
#define A_ROW ((TM + PAD) / 4) // real4 in a row of A's tile
#define GX (TN / RN)           // items of a group side by side
#define GY (TM / RM)           // items one below the other
#define ITEMS (GX * GY)
#define A_LOADS (TM * TK / 4 / ITEMS) // real4 of A that an item fetches per tile
#define B_LOADS (TK * TN / 4 / ITEMS) // real4 of B

// Where an item stands: its first column and row of the group's tile of C, counted in
// fours. 32 neighbouring items run in lockstep on many GPUs, as a warp. A warp owns a
// block of C, LX * RN wide and LY * RM high. Within it an item owns blocks of 4 x 4, LX
// and LY of them apart. With LX = 2, LY = 2 and RM = RN = 8 a warp of 4 items, each
// letter being such a block of 4 x 4:
//
//     a b a b
//     c d c d
//     a b a b
//     c d c d
int2 place(uint item)
{
    const int lane = item % (LX * LY);
    const int warp = item / (LX * LY);
    const int warps_x = GX / LX;
    return (int2)(warp % warps_x * (LX * RN / 4) + lane % LX,
                  warp / warps_x * (LY * RM / 4) + lane / LX);
}

// This item's share of the two tiles at k0, from global memory into registers.
// A4: the group's first row of A; B4: the group's first column of B.
void fetch(real4 a[A_LOADS], real4 b[B_LOADS],
           global const real4 *A4, // [TM][K / 4]
           global const real4 *B4, // [K][N / 4]
           int N, int K, int k0, uint item)
{
    unrolled_for (int q = 0; q < A_LOADS; q++) {
        const uint i = q * ITEMS + item;
        a[q] = A4[i / (TK / 4) * (K / 4) + k0 / 4 + i % (TK / 4)];
    }
    unrolled_for (int q = 0; q < B_LOADS; q++) {
        const uint i = q * ITEMS + item;
        b[q] = B4[(k0 + i / (TN / 4)) * (N / 4) + i % (TN / 4)];
    }
}

// The same share, from registers into local memory; A's is transposed to [k][row].
void put(local real4 a_tile[TK][A_ROW], local real4 b_tile[TK][TN / 4],
         const real4 a[A_LOADS], const real4 b[B_LOADS], uint item)
{
    unrolled_for (int q = 0; q < A_LOADS; q++) {
        const uint i = q * ITEMS + item;
        const uint k = i % (TK / 4) * 4;
        // The next k lies 4 * A_ROW elements further on.
        local REAL *column = (local REAL *)a_tile[k] + i / (TK / 4);
        column[0 * 4 * A_ROW] = a[q].s0;
        column[1 * 4 * A_ROW] = a[q].s1;
        column[2 * 4 * A_ROW] = a[q].s2;
        column[3 * 4 * A_ROW] = a[q].s3;
    }
    unrolled_for (int q = 0; q < B_LOADS; q++) {
        const uint i = q * ITEMS + item;
        b_tile[i / (TN / 4)][i % (TN / 4)] = b[q];
    }
}

// One row of either tile, as far as the item at `at` needs it: its
// fragments of A and B.
void take(REAL a[RM], REAL b[RN],
          local const real4 *a_row, // [A_ROW]
          local const real4 *b_row, // [TN / 4]
          int2 at)
{
    // B first: every row of sums begins with all of it.
    unrolled_for (int j = 0; j < RN / 4; j++) {
        const real4 v = b_row[at.x + j * LX];
        b[4 * j] = v.s0, b[4 * j + 1] = v.s1, b[4 * j + 2] = v.s2, b[4 * j + 3] = v.s3;
    }
    unrolled_for (int i = 0; i < RM / 4; i++) {
        const real4 v = a_row[at.y + i * LY];
        a[4 * i] = v.s0, a[4 * i + 1] = v.s1, a[4 * i + 2] = v.s2, a[4 * i + 3] = v.s3;
    }
}

// RM * RN multiply-adds. sum[4i + r][4j + c] belongs to row 4(at.y + i * LY) + r and to
// column 4(at.x + j * LX) + c of the group's tile.
void multiply(REAL sum[RM][RN], const REAL a[RM], const REAL b[RN])
{
#if SERPENTINE
    unrolled_for (int r = 0; r < RM; r++)
        unrolled_for (int n = 0; n < RN; n++) {
            const int c = r % 2 == 0 ? n : RN - 1 - n;
            sum[r][c] += a[r] * b[c];
        }
#else // 4 x 4 at a time, as the vectors of lesson 8 had it
    unrolled_for (int i = 0; i < RM; i += 4)
        unrolled_for (int j = 0; j < RN; j += 4)
            unrolled_for (int r = i; r < i + 4; r++)
                unrolled_for (int c = j; c < j + 4; c++)
                    sum[r][c] += a[r] * b[c];
#endif
}

void clear(REAL sum[RM][RN])
{
    unrolled_for (int r = 0; r < RM; r++)
        unrolled_for (int c = 0; c < RN; c++)
            sum[r][c] = 0;
}

// C4: the group's first element of C. No bound is checked: the host has padded.
void store(global real4 *C4, // [TM][N / 4]
           int N, const REAL sum[RM][RN], int2 at)
{
    unrolled_for (int r = 0; r < RM; r++)
        unrolled_for (int j = 0; j < RN / 4; j++)
            C4[(4 * (at.y + r / 4 * LY) + r % 4) * (N / 4) + at.x + j * LX] =
                (real4)(sum[r][4 * j], sum[r][4 * j + 1],
                        sum[r][4 * j + 2], sum[r][4 * j + 3]);
}

__attribute__((reqd_work_group_size(GX, GY, 1)))
kernel void matmul_prefetch(int M, int N, int K,
                            global const REAL *restrict A, // [M][K]
                            global const REAL *restrict B, // [K][N]
                            global REAL *restrict C)       // [M][N]
{
    local real4 a_tile[TK][A_ROW];  // [k][row / 4], transposed, with PAD
    local real4 b_tile[TK][TN / 4]; // [k][column / 4]

    const uint item = get_local_id(1) * GX + get_local_id(0);
    const int2 at = place(item);
    const int column0 = get_group_id(0) * TN;
    const int row0 = get_group_id(1) * TM;
    global const real4 *A4 = (global const real4 *)(A + row0 * K);
    global const real4 *B4 = (global const real4 *)(B + column0);

    real4 next_a[A_LOADS], next_b[B_LOADS];
    REAL sum[RM][RN], a[RM], b[RN];
    clear(sum);

    fetch(next_a, next_b, A4, B4, N, K, 0, item);
    for (int k0 = 0; k0 < K; k0 += TK) {
        put(a_tile, b_tile, next_a, next_b, item);
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are full before anybody reads them

        fetch(next_a, next_b, A4, B4, N, K, k0 + TK, item);
        unrolled_for (int k = 0; k < TK; k++) {
            take(a, b, a_tile[k], b_tile[k], at);
            multiply(sum, a, b);
        }
        barrier(CLK_LOCAL_MEM_FENCE); // all have read before the tiles are overwritten
    }
    store((global real4 *)(C + row0 * N + column0), N, sum, at);
}
