// Lesson 10: feeding the tile. Lesson 8's tile computes fast enough on a GPU; now it
// must not wait.
//
//     C[M][N] = A[M][K] * B[K][N], row-major; get_global_id(0) runs along a row of C.
//
// The arithmetic stays as it is; what changes is when its operands are asked for. A
// group computes TM x TN elements of C, an item RM x RN. Each kernel adds one idea.
//
//     lesson 8  fetch 0 | wait | multiply 0 | wait | fetch 1 | wait | multiply 1 ...
//
//     here      fetch 0 | multiply 0 | multiply 1 | multiply 2 | ...
//                       | fetch 1    | fetch 2    | fetch 3    | ...

#ifndef REAL // the element type, from --type
#define REAL float
#endif
// CAT(REAL, 4) is float4: the extra step lets REAL be replaced first.
#define GLUE(a, b) a##b
#define CAT(a, b) GLUE(a, b)
#define real4 CAT(REAL, 4)

// An array can be in registers only if every index is known when the kernel is built.
// So the loops over it must be unrolled, and some compilers do that only if told.
#define unrolled_for _Pragma("unroll") for

#ifndef TM // the host sets all of these, or none
#define TM 64  // rows of C per group
#define TN 128 // columns of C per group
#define TK 16  // how deep the tiles are
#define RM 8   // rows of C per item
#define RN 8   // columns of C per item
#define LX 8   // items of a warp side by side: see kernel 2
#endif
#ifndef PUT_STEP
#define PUT_STEP (TK - 1) // when the next tiles go into local memory: see kernel 3
#endif
#ifndef SERPENTINE
#define SERPENTINE 1 // the order of the multiply-adds: see kernel 3
#endif
#ifndef A_WIDE
#define A_WIDE 1 // numbers of a row of A that a load brings: 4 where 4 divides K
#define B_WIDE 1 // of a row of B, and that a store takes to C: 4 where 4 divides N
#endif
#define LY (32 / LX) // items of a warp one below the other
#define PAD 4 // unused elements at the end of a row of A's tile
#define A_ROW ((TM + PAD) / 4) // real4 in such a row
#define GX (TN / RN) // items of a group side by side
#define GY (TM / RM) // items one below the other
#define ITEMS (GX * GY)
#define A_LOADS (TM * TK / 4 / ITEMS) // real4 of A that an item fetches per tile
#define B_LOADS (TK * TN / 4 / ITEMS) // real4 of B
#if RM % 4 || RN % 4 || TK % 4 || PAD % 4
#error "RM, RN, TK and PAD must be multiples of 4: a load brings four elements"
#endif
#if 32 % LX || TM % (LY * RM) || TN % (LX * RN)
#error "a tile must be whole warps: LY*RM divides TM, LX*RN divides TN, LX divides 32"
#endif
#if TM * TK % (4 * ITEMS) || TK * TN % (4 * ITEMS)
#error "TM*TK and TK*TN must be multiples of 4*ITEMS: all items fetch equally much"
#endif

// -------------------------------------------------------------------------------------
// The pieces: what lesson 8 did in one kernel, by name.

// Where an item stands: its first column and row of the group's tile of C, in fours. 32
// neighbouring items run in lockstep on many GPUs, as a warp. A warp owns a block of C;
// within it an item owns blocks of 4 x 4, LX and LY of them apart.
int2 place(uint item)
{
    const int lane = item % (LX * LY);
    const int warp = item / (LX * LY);
    const int warps_x = GX / LX;
    return (int2)(warp % warps_x * (LX * RN / 4) + lane % LX,
                  warp / warps_x * (LY * RM / 4) + lane / LX);
}

// This item's share of the two tiles at k0, from global memory into registers. A4: the
// group's first row of A; B4: the group's first column of B.
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
void put_a(local real4 a_tile[TK][A_ROW], const real4 a[A_LOADS], uint item)
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
}

void put_b(local real4 b_tile[TK][TN / 4], const real4 b[B_LOADS], uint item)
{
    unrolled_for (int q = 0; q < B_LOADS; q++) {
        const uint i = q * ITEMS + item;
        b_tile[i / (TN / 4)][i % (TN / 4)] = b[q];
    }
}

void put(local real4 a_tile[TK][A_ROW], local real4 b_tile[TK][TN / 4],
         const real4 a[A_LOADS], const real4 b[B_LOADS], uint item)
{
    put_a(a_tile, a, item);
    put_b(b_tile, b, item);
}

// What an item needs of one row of either tile: its fragments of A and B.
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
#if SERPENTINE // see kernel 3
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

// -------------------------------------------------------------------------------------
// 1. Fetch early: the loads for the next tiles start before this one's multiply-adds.
//
// Group of GX x GY items, warps of LX * LY of them. M, N and K are multiples of TM, TN
// and TK; TM is one of LY * RM and TN of LX * RN; TM * TK and TK * TN are multiples of
// 4 * ITEMS.
//
// A load is only a request: the item goes on, and waits where the number is first used.
// So the requests come before the multiply-adds, and the first use, the copy into local
// memory, after them. The price is registers: A_LOADS + B_LOADS real4.

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
    REAL sum[RM][RN] = {{0}}, a[RM], b[RN];

    fetch(next_a, next_b, A4, B4, N, K, 0, item);
    for (int k0 = 0; k0 < K; k0 += TK) {
        put(a_tile, b_tile, next_a, next_b, item);
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are full before anybody reads them

        // The last iteration fetches its own tiles again, for nobody: cheaper
        // than a branch.
        fetch(next_a, next_b, A4, B4, N, K, min(k0 + TK, K - TK), item);
        unrolled_for (int k = 0; k < TK; k++) {
            take(a, b, a_tile[k], b_tile[k], at);
            multiply(sum, a, b);
        }
        barrier(CLK_LOCAL_MEM_FENCE); // all have read before the tiles are overwritten
    }
    store((global real4 *)(C + row0 * N + column0), N, sum, at);
}

// -------------------------------------------------------------------------------------
// 2. Two of each tile, one barrier: one pair is read while the other is filled.
//
// Group and multiples as in kernel 1. Two barriers kept readers and writers of one tile
// apart. With two tiles one barrier says both "tile t is full" and "nobody reads the
// other any more":
//
//     tile 0    put |    read    |        put | read ...
//     tile 1        |        put |    read    | put  ...
//                barrier      barrier      barrier
//
// Who stands where: the items of a warp read at the same time. As 2 rows of 16 they
// read 2 + 16 different real4 for a pair of blocks, as 4 rows of 8 only 4 + 8. Whether
// local memory answers any sooner is for the device to say: LX.

__attribute__((reqd_work_group_size(GX, GY, 1)))
kernel void matmul_two_tiles(int M, int N, int K,
                             global const REAL *restrict A, // [M][K]
                             global const REAL *restrict B, // [K][N]
                             global REAL *restrict C)       // [M][N]
{
    local real4 a_tile[2][TK][A_ROW];
    local real4 b_tile[2][TK][TN / 4];

    const uint item = get_local_id(1) * GX + get_local_id(0);
    const int2 at = place(item);
    const int column0 = get_group_id(0) * TN;
    const int row0 = get_group_id(1) * TM;
    global const real4 *A4 = (global const real4 *)(A + row0 * K);
    global const real4 *B4 = (global const real4 *)(B + column0);
    real4 next_a[A_LOADS], next_b[B_LOADS];
    REAL sum[RM][RN] = {{0}}, a[RM], b[RN];

    fetch(next_a, next_b, A4, B4, N, K, 0, item);
    put(a_tile[0], b_tile[0], next_a, next_b, item);
    int t = 0; // the tile to read
    for (int k0 = 0; k0 < K; k0 += TK) {
        barrier(CLK_LOCAL_MEM_FENCE);
        fetch(next_a, next_b, A4, B4, N, K, min(k0 + TK, K - TK), item);
        unrolled_for (int k = 0; k < TK; k++) {
            take(a, b, a_tile[t][k], b_tile[t][k], at);
            multiply(sum, a, b);
        }
        t = 1 - t;
        put(a_tile[t], b_tile[t], next_a, next_b, item);
    }
    store((global real4 *)(C + row0 * N + column0), N, sum, at);
}

// -------------------------------------------------------------------------------------
// 3. Fragments ahead: the elements for step k + 1 leave local memory while step k
// multiplies.
//
// Group and multiples as in kernel 1. Local memory takes some 30 cycles to answer. The
// compiler reads ahead by itself within a tile, but never over a barrier. So the last
// step of a tile is multiplied after it, while the next tile's first elements are on
// their way. Early, PUT_STEP leaves the stores time to end before the barrier, and late
// it leaves the loads time to arrive.
//
// A multiply-add needs three registers. On an H200 they lie in two banks, and three of
// one bank take a cycle more, unless one is still at hand from the instruction before.
// 4 x 4 at a time, three of four neighbours share one of A; in serpentine order all do,
// and where a row of sums ends the two share one of B:
//
//     -D SERPENTINE=0                          -D SERPENTINE=1
//     -> -> -> ->   -> -> -> ->            -> -> -> -> -> -> -> ->
//     -> -> -> ->   -> -> -> ->            <- <- <- <- <- <- <- <-
//     -> -> -> ->   -> -> -> ->            -> -> -> -> -> -> -> ->

__attribute__((reqd_work_group_size(GX, GY, 1)))
kernel void matmul_fragments(int M, int N, int K,
                             global const REAL *restrict A, // [M][K]
                             global const REAL *restrict B, // [K][N]
                             global REAL *restrict C)       // [M][N]
{
    local real4 a_tile[2][TK][A_ROW];
    local real4 b_tile[2][TK][TN / 4];

    const uint item = get_local_id(1) * GX + get_local_id(0);
    const int2 at = place(item);
    const int column0 = get_group_id(0) * TN;
    const int row0 = get_group_id(1) * TM;
    global const real4 *A4 = (global const real4 *)(A + row0 * K);
    global const real4 *B4 = (global const real4 *)(B + column0);
    real4 next_a[A_LOADS], next_b[B_LOADS];
    REAL sum[RM][RN] = {{0}}, a[2][RM], b[2][RN]; // step k uses [k % 2]

    fetch(next_a, next_b, A4, B4, N, K, 0, item);
    put(a_tile[0], b_tile[0], next_a, next_b, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    int t = 0;
    take(a[0], b[0], a_tile[t][0], b_tile[t][0], at);
    for (int k0 = 0; k0 < K; k0 += TK) {
        fetch(next_a, next_b, A4, B4, N, K, min(k0 + TK, K - TK), item);
        unrolled_for (int k = 0; k < TK; k++) {
            if (k == PUT_STEP)
                put(a_tile[1 - t], b_tile[1 - t], next_a, next_b, item);
            if (k == TK - 1) { // the last elements of tile t are in registers already
                barrier(CLK_LOCAL_MEM_FENCE);
                t = 1 - t;
            }
            take(a[(k + 1) % 2], b[(k + 1) % 2],
                 a_tile[t][(k + 1) % TK], b_tile[t][(k + 1) % TK], at);
            multiply(sum, a[k % 2], b[k % 2]);
        }
    }
    store((global real4 *)(C + row0 * N + column0), N, sum, at);
}

// -------------------------------------------------------------------------------------
// 4. Packed operands: two kernels put A and B into the order in which the product reads
// them.
//
// Kernels 1 to 3 transpose every tile of A, each group its own copy. Here it is done
// once, and B's tiles are made contiguous as well. A panel is TM rows of A, or TN
// columns of B, with k running downwards:
//
//     A, TM = 4       its panels, [k][row]
//     a b c d e       a f k p
//     f g h i j       b g l q      The tile of TK steps is TK * TM elements in a row:
//     k l m n o  ->   c h m r      every item reads the one next to its neighbour's,
//     p q r s t       d i n s      and stores it where it is, four at a time.
//     ---------       e j o t
//
// Packing pads as well, with zeros: panels are full and TK deep to the end. It costs
// 2 * (M*K + K*N) elements of traffic, and frees registers for more sums: with TM=128
// and RN=16 an item computes 8 x 16, and reads 1/8 + 1/16 of a number for each
// multiply-add instead of 1/8 + 1/8.

#define padded(K) (((K) + TK - 1) / TK * TK) // a panel's depth: whole tiles
#define PACK 32     // side of what a group packs at once
#define PACK_ROWS 8 // rows of items of such a group
#if TM % PACK || TN % PACK || PACK % PACK_ROWS
#error "PACK must divide TM and TN: a panel is packed in squares of PACK"
#endif

// Group of PACK x PACK_ROWS items for PACK x PACK elements; padded(K) / PACK groups
// side by side, rounded up, and TM / PACK below one another for each panel.
// get_global_id(0) runs along k.
__attribute__((reqd_work_group_size(PACK, PACK_ROWS, 1)))
kernel void pack_a_tiles(int M, int K,
                         global const REAL *restrict A, // [M][K]
                         global REAL *restrict packed)  // [panels][padded(K)][TM]
{
    local REAL tile[PACK][PACK + 1]; // read along a row, written down a column

    const int x = get_local_id(0);
    const int y = get_local_id(1);
    const int k0 = get_group_id(0) * PACK;
    const int row0 = get_group_id(1) * PACK;
    unrolled_for (int r = 0; r < PACK; r += PACK_ROWS) {
        const int row = row0 + y + r;
        tile[y + r][x] = row < M && k0 + x < K ? A[row * K + k0 + x] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    global REAL *panel = packed + row0 / TM * TM * padded(K) + row0 % TM;
    unrolled_for (int r = 0; r < PACK; r += PACK_ROWS)
        if (k0 + y + r < padded(K))
            panel[(k0 + y + r) * TM + x] = tile[x][y + r];
}

// Rows stay rows: nothing to transpose. The same groups, TN / PACK side by side for
// each panel; get_global_id(0) runs along the columns.
__attribute__((reqd_work_group_size(PACK, PACK_ROWS, 1)))
kernel void pack_b_tiles(int K, int N,
                         global const REAL *restrict B, // [K][N]
                         global REAL *restrict packed)  // [panels][padded(K)][TN]
{
    const int column = get_global_id(0);
    const int k0 = get_group_id(1) * PACK + get_local_id(1);
    global REAL *panel = packed + column / TN * TN * padded(K) + column % TN;
    REAL v[PACK / PACK_ROWS]; // all loads first: they are in flight together
    unrolled_for (int i = 0; i < PACK / PACK_ROWS; i++) {
        const int k = k0 + i * PACK_ROWS;
        v[i] = k < K && column < N ? B[k * N + column] : 0;
    }
    unrolled_for (int i = 0; i < PACK / PACK_ROWS; i++)
        if (k0 + i * PACK_ROWS < padded(K))
            panel[(k0 + i * PACK_ROWS) * TN] = v[i];
}

// A tile of a panel is one run of elements, in memory as in local memory. A4, B4: the
// item's first elements of the two tiles.
void fetch_packed(real4 a[A_LOADS], real4 b[B_LOADS],
                  global const real4 *A4, // [A_LOADS * ITEMS]
                  global const real4 *B4) // [B_LOADS * ITEMS]
{
    unrolled_for (int q = 0; q < A_LOADS; q++)
        a[q] = A4[q * ITEMS];
    unrolled_for (int q = 0; q < B_LOADS; q++)
        b[q] = B4[q * ITEMS];
}

void put_packed(local real4 a_tile[TK * TM / 4], local real4 b_tile[TK * TN / 4],
                const real4 a[A_LOADS], const real4 b[B_LOADS], uint item)
{
    unrolled_for (int q = 0; q < A_LOADS; q++)
        a_tile[q * ITEMS + item] = a[q];
    unrolled_for (int q = 0; q < B_LOADS; q++)
        b_tile[q * ITEMS + item] = b[q];
}

// As store, but what lies beyond M and N is not stored.
void store_guarded(global REAL *C, // [M][N]
                   int M, int N, const REAL sum[RM][RN], int row0, int column0, int2 at)
{
    unrolled_for (int r = 0; r < RM; r++) {
        const int row = row0 + 4 * (at.y + r / 4 * LY) + r % 4;
        unrolled_for (int j = 0; j < RN; j += B_WIDE) {
            const int column = column0 + 4 * (at.x + j / 4 * LX) + j % 4;
            if (row < M && column < N) {
#if B_WIDE == 4
                *(global real4 *)(C + row * N + column) =
                    (real4)(sum[r][j], sum[r][j + 1], sum[r][j + 2], sum[r][j + 3]);
#else
                C[row * N + column] = sum[r][j];
#endif
            }
        }
    }
}

// The same where a row of C is no row of real4, and stores are most of the work: a row
// of each item at a time goes through local memory, and neighbours store neighbours.
void store_by_rows(global REAL *C, // [M][N]
                   int M, int N, const REAL sum[RM][RN], int row0, int column0, int2 at,
                   local real4 *rows, // [GY][TN / 4]
                   uint item)
{
    const int lane_y = at.y % (LY * RM / 4);
    const int y = at.y / (LY * RM / 4) * LY + lane_y; // of GY
    unrolled_for (int r = 0; r < RM; r++) {
        barrier(CLK_LOCAL_MEM_FENCE); // what lay here was read by all
        unrolled_for (int j = 0; j < RN / 4; j++)
            rows[y * (TN / 4) + at.x + j * LX] =
                (real4)(sum[r][4 * j], sum[r][4 * j + 1],
                        sum[r][4 * j + 2], sum[r][4 * j + 3]);
        barrier(CLK_LOCAL_MEM_FENCE); // the rows are there
        unrolled_for (int n = 0; n < GY * TN / ITEMS; n++) {
            const int i = n * ITEMS + item;
            const int of = i / TN; // whose row: y, as above
            const int row =
                row0 + 4 * (of / LY * (LY * RM / 4) + of % LY + r / 4 * LY) + r % 4;
            const int column = column0 + i % TN;
            if (row < M && column < N)
                C[row * N + column] = ((local const REAL *)rows)[i];
        }
    }
}

// The product. Group of GX x GY items, ceil(N / TN) x ceil(M / TM) groups; M, N, K are
// anything. LX, LY as in kernel 1. TM and TN are multiples of PACK. Both operands are
// panels, depth = padded(K) deep.
__attribute__((reqd_work_group_size(GX, GY, 1)))
kernel void matmul_packed_tiles(int M, int N, int K,
                                global const REAL *restrict A, // [panels][depth][TM]
                                global const REAL *restrict B, // [panels][depth][TN]
                                global REAL *restrict C)       // [M][N]
{
    local real4 a_tile[2][TK][TM / 4]; // [k][row / 4]: no PAD, nothing is transposed
    local real4 b_tile[2][TK][TN / 4]; // [k][column / 4]

    const uint item = get_local_id(1) * GX + get_local_id(0);
    const int2 at = place(item);
    const int column0 = get_group_id(0) * TN;
    const int row0 = get_group_id(1) * TM;
    const int depth = padded(K);
    global const real4 *A4 = (global const real4 *)(A + row0 * depth) + item;
    global const real4 *B4 = (global const real4 *)(B + column0 * depth) + item;

    real4 next_a[A_LOADS], next_b[B_LOADS];
    REAL sum[RM][RN] = {{0}}, a[2][RM], b[2][RN];

    fetch_packed(next_a, next_b, A4, B4);
    put_packed(a_tile[0][0], b_tile[0][0], next_a, next_b, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    int t = 0;
    take(a[0], b[0], a_tile[t][0], b_tile[t][0], at);
    for (int k0 = 0; k0 < depth; k0 += TK) {
        const int k1 = min(k0 + TK, depth - TK);
        fetch_packed(next_a, next_b, A4 + k1 * (TM / 4), B4 + k1 * (TN / 4));
        unrolled_for (int k = 0; k < TK; k++) {
            if (k == PUT_STEP)
                put_packed(a_tile[1 - t][0], b_tile[1 - t][0], next_a, next_b, item);
            if (k == TK - 1) {
                barrier(CLK_LOCAL_MEM_FENCE);
                t = 1 - t;
            }
            take(a[(k + 1) % 2], b[(k + 1) % 2],
                 a_tile[t][(k + 1) % TK], b_tile[t][(k + 1) % TK], at);
            multiply(sum, a[k % 2], b[k % 2]);
        }
    }
    store_guarded(C, M, N, sum, row0, column0, at);
}

// -------------------------------------------------------------------------------------
// 5. Shares of a sum: where C has few tiles, several groups compute one of them, each
// over its share of K.
//
// Group of GX x GY items; ceil(N / TN) x ceil(M / TM) x SHARES groups; M, N and K are
// anything. LX, LY, TM, TN, TK as in kernel 1.
//
// A small product loses what kernel 4 gains: packing costs two launches that wait for
// one another. And a C of 512 x 512 has 32 tiles, where a GPU has 132 units.
// So A and B are read where they are. Each group stores its own sums, and sum_shares
// adds them in the same order in every run, which atomics would not.

#ifndef SHARES
#define SHARES 1 // 1: C is whole, and no second kernel is needed
#endif
#ifndef BY_ROWS
#define BY_ROWS 0 // 1: C is stored through local memory, which pays where K is small
#endif
// Nearly always all of the tiles at k0 can be read.
#define ALL(k0) ((k0) + TK <= K && ((k0) + TK - 1) * N + column0 + TN <= K * N)
// Where no load can bring four numbers of a row of A, neighbours take neighbouring
// ones. The largest tile has no registers left for the addresses.
#define A_BY_NEIGHBOURS (A_WIDE == 1 && RN < 16)
#if A_BY_NEIGHBOURS && ITEMS % TK
#error "TK must divide ITEMS: an item's numbers of A lie one below the other"
#endif

// Four numbers of a row of `length`; 0 for those that do not exist, unless `all` do.
// Each is loaded all the same, from where there is one.
real4 four(global const REAL *row, int at, int wide, int length, bool all)
{
    if (wide == 4) {
        const real4 v = *(global const real4 *)(row + (all ? at : min(at, length - 4)));
        return all || at < length ? v : (real4)(0);
    }
    REAL v[4];
    unrolled_for (int i = 0; i < 4; i++) {
        const REAL x = row[all ? at + i : min(at + i, length - 1)];
        v[i] = all || at + i < length ? x : 0;
    }
    return vload4(0, v);
}

// This item's share of the two tiles at k0, from global memory into registers; `all`:
// they end before K, and before the last number of B. The last row of A stands in for
// those behind it, and what follows a row of B for what lies behind its end: what comes
// of these is not stored.
void fetch_guarded(real4 a[A_LOADS], real4 b[B_LOADS],
                   global const REAL *A, // [M][K]
                   global const REAL *B, // [K][N]
                   int M, int N, int K, int row0, int column0, int k0, bool all,
                   uint item)
{
#if A_BY_NEIGHBOURS
    const int k = k0 + item % TK;
    const int row = row0 + item / TK;
    const bool exists = all || k < K;
    global const REAL *column = A + row * K + (exists ? k : K - 1);
    unrolled_for (int q = 0; q < A_LOADS; q++) {
        REAL v[4]; // ITEMS / TK rows apart
        unrolled_for (int i = 0; i < 4; i++) {
            const REAL x = column[min((4 * q + i) * (ITEMS / TK), M - 1 - row) * K];
            v[i] = exists ? x : 0;
        }
        a[q] = vload4(0, v);
    }
#else
    unrolled_for (int q = 0; q < A_LOADS; q++) {
        const int i = q * ITEMS + item;
        const int k = k0 + i % (TK / 4) * 4;
        a[q] = four(A + min(row0 + i / (TK / 4), M - 1) * K, k, A_WIDE, K, all);
    }
#endif
    unrolled_for (int q = 0; q < B_LOADS; q++) {
        const int i = q * ITEMS + item;
        const int k = k0 + i / (TN / 4);
        const int column = column0 + i % (TN / 4) * 4;
        const real4 v = four(B + (all ? k : min(k, K - 1)) * N, column, B_WIDE, N, all);
        b[q] = all || k < K ? v : (real4)(0);
    }
}

void put_guarded(local real4 a_tile[TK][A_ROW], local real4 b_tile[TK][TN / 4],
                 const real4 a[A_LOADS], const real4 b[B_LOADS], uint item)
{
#if A_BY_NEIGHBOURS
    local REAL *column = (local REAL *)a_tile[item % TK] + item / TK;
    unrolled_for (int q = 0; q < A_LOADS; q++) {
        column[(4 * q + 0) * (ITEMS / TK)] = a[q].s0;
        column[(4 * q + 1) * (ITEMS / TK)] = a[q].s1;
        column[(4 * q + 2) * (ITEMS / TK)] = a[q].s2;
        column[(4 * q + 3) * (ITEMS / TK)] = a[q].s3;
    }
#else
    put_a(a_tile, a, item);
#endif
    put_b(b_tile, b, item);
}

__attribute__((reqd_work_group_size(GX, GY, 1)))
kernel void matmul_shares(int M, int N, int K,
                          global const REAL *restrict A, // [M][K]
                          global const REAL *restrict B, // [K][N]
                          global REAL *restrict C)       // [SHARES][M][N]
{
    local real4 a_tile[2][TK][A_ROW];
    local real4 b_tile[2][TK][TN / 4];

    const uint item = get_local_id(1) * GX + get_local_id(0);
    const int2 at = place(item);
    const int column0 = get_group_id(0) * TN;
    const int row0 = get_group_id(1) * TM;
    // A share is whole tiles; the shares differ by one at most.
    const int share = get_group_id(2);
    const int tiles = padded(K) / TK;
    const int first = share * tiles / SHARES * TK;
    const int end = (share + 1) * tiles / SHARES * TK;

    real4 next_a[A_LOADS], next_b[B_LOADS];
    REAL sum[RM][RN] = {{0}}, a[2][RM], b[2][RN];

    fetch_guarded(next_a, next_b, A, B, M, N, K, row0, column0, first, ALL(first),
                  item);
    put_guarded(a_tile[0], b_tile[0], next_a, next_b, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    int t = 0;
    take(a[0], b[0], a_tile[t][0], b_tile[t][0], at);
    for (int k0 = first; k0 < end; k0 += TK) {
        const int k1 = min(k0 + TK, end - TK);
        if (ALL(k1)) // the same for all items; of two calls the first needs no bound
            fetch_guarded(next_a, next_b, A, B, M, N, K, row0, column0, k1, true, item);
        else
            fetch_guarded(next_a, next_b, A, B, M, N, K, row0, column0, k1, false,
                          item);
        unrolled_for (int k = 0; k < TK; k++) {
            if (k == PUT_STEP)
                put_guarded(a_tile[1 - t], b_tile[1 - t], next_a, next_b, item);
            if (k == TK - 1) {
                barrier(CLK_LOCAL_MEM_FENCE);
                t = 1 - t;
            }
            take(a[(k + 1) % 2], b[(k + 1) % 2],
                 a_tile[t][(k + 1) % TK], b_tile[t][(k + 1) % TK], at);
            multiply(sum, a[k % 2], b[k % 2]);
        }
    }
#if BY_ROWS
    store_by_rows(C + share * M * N, M, N, sum, row0, column0, at, b_tile[0][0], item);
#else
    store_guarded(C + share * M * N, M, N, sum, row0, column0, at);
#endif
}

// Group of anything, an item for each element of C. get_global_id(0) runs along a row.
kernel void sum_shares(int M, int N,
                       global const REAL *restrict shares, // [SHARES][M][N]
                       global REAL *restrict C)            // [M][N]
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;
    REAL sum = 0;
    unrolled_for (int share = 0; share < SHARES; share++)
        sum += shares[(share * M + row) * N + column];
    C[row * N + column] = sum;
}

// -------------------------------------------------------------------------------------
// 6. Few rows, or few columns: a product that waits for memory alone.
//
// Groups of SIDE x LANES items, or of LANES x SIDE. Any M, N and K. A group has FEW
// rows of C in the first kernel, and FEW columns in the second.
//
// With M = 1 each element of B serves one multiply-add: half an operation for each byte
// of memory, where a GPU could do 15. Nothing is used twice, so no tile helps. Nothing
// may be loaded twice, neighbours ask for neighbouring addresses, and enough must be in
// flight: LANES items share a sum, and item `lane` takes each LANES-th k.
//
//                columns ->                          k ->
//     k     0  | lane 0 lane 0 ... |        row 0  | lane 0  lane 1  lane 2 ... |
//     |     1  | lane 1 lane 1 ... |        row 1  | lane 0  lane 1  lane 2 ... |
//     v     2  | lane 2 lane 2 ... |        ...
//              B, for few rows of C                A, for few columns of C

#ifndef LANES
#define LANES 16 // items that share a sum
#define SIDE 16  // such items side by side in a group
#define FEW 1    // sums of an item, each of another row, or another column
#define WIDE 1   // or, of few rows, of so many columns: 4 where that divides N, else 1
#endif
#define IN_FLIGHT 8 // loads of an item that wait together
#if WIDE == 4
#define reals real4
#else
#define reals REAL
#endif

// Each item adds up sums whose shares lie in local memory, always in the same order.
REAL total(local const REAL *share, int apart) // [LANES], elements `apart`
{
    REAL sum = 0;
    #pragma unroll 16 // the loads need not wait for the sum
    for (int lane = 0; lane < LANES; lane++)
        sum += share[lane * apart];
    return sum;
}

__attribute__((reqd_work_group_size(SIDE, LANES, 1)))
kernel void matmul_rows_by_lanes(int M, int N, int K,
                                 global const REAL *restrict A, // [M][K]
                                 global const REAL *restrict B, // [K][N]
                                 global REAL *restrict C)       // [M][N]
{
    local reals shares[FEW][LANES][SIDE];

    const int x = get_local_id(0);
    const int lane = get_local_id(1);
    const int row0 = get_group_id(1) * FEW;
    const int column0 = get_group_id(0) * SIDE * WIDE;
    // Behind the edge of C the last row and column stand in: their sums are not stored.
    global const REAL *b = B + min(column0 + x * WIDE, N - WIDE);
    reals sum[FEW] = {0};
    for (int k0 = lane; k0 < K; k0 += IN_FLIGHT * LANES)
        unrolled_for (int i = 0; i < IN_FLIGHT; i++) {
            const bool exists = k0 + i * LANES < K; // else one that does stands in
            const int k = exists ? k0 + i * LANES : K - 1;
            const reals v = *(global const reals *)(b + k * N);
            unrolled_for (int f = 0; f < FEW; f++) {
                const REAL of_a = A[min(row0 + f, M - 1) * K + k];
                sum[f] += exists ? of_a * v : 0;
            }
        }
    unrolled_for (int f = 0; f < FEW; f++)
        shares[f][lane][x] = sum[f];
    barrier(CLK_LOCAL_MEM_FENCE); // all shares are there before anybody adds them up
    for (int i = lane * SIDE + x; i < FEW * SIDE * WIDE; i += SIDE * LANES) {
        const int f = i / (SIDE * WIDE);
        const int column = i % (SIDE * WIDE);
        const REAL sum = total((local const REAL *)shares[f] + column, SIDE * WIDE);
        if (row0 + f < M && column0 + column < N)
            C[(row0 + f) * N + column0 + column] = sum;
    }
}

// The same for few columns. Here the lanes lie side by side, as k does in A.
__attribute__((reqd_work_group_size(LANES, SIDE, 1)))
kernel void matmul_columns_by_lanes(int M, int N, int K,
                                    global const REAL *restrict A, // [M][K]
                                    global const REAL *restrict B, // [K][N]
                                    global REAL *restrict C)       // [M][N]
{
    local REAL shares[FEW][SIDE][LANES];

    const int lane = get_local_id(0);
    const int y = get_local_id(1);
    const int column0 = get_group_id(0) * FEW;
    const int row0 = get_group_id(1) * SIDE;
    global const REAL *a = A + min(row0 + y, M - 1) * K;
    REAL sum[FEW] = {0};
    for (int k0 = lane; k0 < K; k0 += IN_FLIGHT * LANES)
        unrolled_for (int i = 0; i < IN_FLIGHT; i++) {
            const bool exists = k0 + i * LANES < K;
            const int k = exists ? k0 + i * LANES : K - 1;
            const REAL v = a[k];
            unrolled_for (int f = 0; f < FEW; f++) {
                const REAL of_b = B[k * N + min(column0 + f, N - 1)];
                sum[f] += exists ? v * of_b : 0;
            }
        }
    unrolled_for (int f = 0; f < FEW; f++)
        shares[f][y][lane] = sum[f];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = y * LANES + lane; i < FEW * SIDE; i += LANES * SIDE) {
        const int f = i % FEW;
        const int row = row0 + i / FEW;
        const REAL sum = total(shares[f][i / FEW], 1);
        if (row < M && column0 + f < N)
            C[row * N + column0 + f] = sum;
    }
}
