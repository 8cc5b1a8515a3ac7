// Lesson 10: feeding the tile. Lesson 8's tile computes fast enough on a GPU; now it
// must not wait.
//
//     C[M][N] = A[M][K] * B[K][N], row-major; get_global_id(0) runs along a row of C.
//
// The arithmetic stays as it is. What changes is when its operands are asked for. A
// group computes TM x TN elements of C, an item RM x RN of them.
//
// Lesson 8's third kernel does three things by turns: it fetches two tiles, waits,
// multiplies, waits. While it fetches nobody multiplies, and while it multiplies
// nobody fetches:
//
//     lesson 8  fetch 0 | wait | multiply 0 | wait | fetch 1 | wait | multiply 1 ...
//
//     here      fetch 0 | multiply 0 | multiply 1 | multiply 2 | ...
//                       | fetch 1    | fetch 2    | fetch 3    | ...
//
// Each kernel adds one idea to the one before it; the pieces that they are made
// of come first.

#ifndef REAL // the element type, from --type
#define REAL float
#endif
// CAT(REAL, 4) is float4: the extra step lets REAL be replaced first.
#define GLUE(a, b) a##b
#define CAT(a, b) GLUE(a, b)

// An array can be in registers only if every index is known when the kernel is built,
// so the loops over it must be unrolled. Some compilers do that only if told, and else
// lose half of the speed.
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
#ifndef PUT_STEP
#define PUT_STEP (TK - 1) // when the next tiles go into local memory: see kernel 3
#endif
#ifndef SERPENTINE
#define SERPENTINE 1 // the order of the multiply-adds: see kernel 3
#endif
#ifndef LX
#define LX 8 // items of a warp side by side: see kernel 2
#endif
#ifndef LY
#define LY 4 // and one below the other
#endif
#define A_ROW ((TM + PAD) / 4) // real4 in a row of A's tile
#define GX (TN / RN) // items of a group side by side
#define GY (TM / RM) // items one below the other
#define ITEMS (GX * GY)
#define A_LOADS (TM * TK / 4 / ITEMS) // real4 of A that an item fetches per tile
#define B_LOADS (TK * TN / 4 / ITEMS) // real4 of B

// -------------------------------------------------------------------------------------
// The pieces: what lesson 8 did in one kernel, by name.

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

// -------------------------------------------------------------------------------------
// 1. Fetch early: the loads for the next tiles start before this one's multiply-adds.
//
// Group of GX x GY items, warps of LX * LY of them. M, N and K are multiples of TM,
// TN and TK; TM is one of LY * RM and TN of LX * RN; TM * TK and TK * TN are
// multiples of 4 * ITEMS.
//
// A load is only a request. The item goes on, and waits where the number is first
// used. So the requests come before the multiply-adds, and the first use, the copy
// into local memory, after them. The price is registers: A_LOADS + B_LOADS real4, held
// for all that time.

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
// apart. With two they are apart anyway, and one barrier in an iteration says both
// "tile t is full" and "nobody reads the other any more":
//
//     tile 0    put |    read    |        put | read ...
//     tile 1        |        put |    read    | put  ...
//                barrier      barrier      barrier
//
// Who stands where. The items of a warp read at the same time: items side by side share
// their elements of A, items below one another those of B. As 2 rows of 16 they read
// 2 + 16 different real4 of a pair of blocks, as 4 rows of 8 only 4 + 8. Whether local
// memory answers any sooner is for the device to say: run it with -D LX=16 -D LY=2 and
// with -D LX=8 -D LY=4.

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
    REAL sum[RM][RN], a[RM], b[RN];
    clear(sum);

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
// 3. Fragments ahead: the elements for step k + 1 leave local memory while
// step k multiplies.
//
// Group and multiples as in kernel 1. Local memory takes some 30 cycles to answer.
// The compiler reads ahead by itself within a tile, but never over a barrier: there
// every item asks at the same moment, and waits. So the last step of a tile is kept
// back, to be multiplied after the barrier, while the first elements of the next tile
// are on their way.
//
// With two tiles, the next one may be put at any step, as early as its elements have
// arrived and as late as the barrier: PUT_STEP says when. Early leaves the stores time
// to end before the barrier, late leaves the loads time to arrive.
//
// The order of the multiply-adds. Each needs three registers. On an H200 they lie in
// two banks, and three from one bank take a cycle more, unless one is still at hand
// from the instruction before. So neighbours should share a number. 4 x 4 at a time,
// three of four share one of A. Along a whole row of sums all do; and at its end, if
// the next row is walked backwards, in serpentine order, the two share one of B:
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
    REAL sum[RM][RN], a[2][RM], b[2][RN]; // step k uses [k % 2], fills [(k + 1) % 2]
    clear(sum);

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
// 4. Packed operands: two kernels put A and B into the order in which the
// product reads them.
//
// Kernels 1 to 3 transpose every tile of A, each group its own copy: N / TN times the
// same work, four narrow stores for each wide load, and some of these meet in a bank in
// spite of PAD. Here it is done once, and B's tiles are made contiguous in the same
// way. A panel is TM rows of A, or TN columns of B, with k running downwards:
//
//     A, TM = 4       its panels, [k][row]
//     a b c d e       a f k p
//     f g h i j       b g l q      The tile of TK steps is TK * TM elements in a row:
//     k l m n o  ->   c h m r      every item reads the one next to its neighbour's,
//     p q r s t       d i n s      and stores it where it is, four at a time.
//     ---------       e j o t
//
// Packing pads as well: panels are full and TK deep to the end, whatever M, N and K
// are, with zeros for what does not exist. It costs 2 * (M*K + K*N) elements of
// traffic, once.
//
// What it frees makes room for more sums: with -D TM=128 -D RN=16 an item computes
// 8 x 16, and reads 1/8 + 1/16 of a number for each multiply-add instead of 1/8 + 1/8.
// There -D PUT_STEP=12 gives the stores time to end before the barrier.

// A panel's depth: K, rounded up to whole tiles.
int padded(int K)
{
    return (K + TK - 1) / TK * TK;
}

#define PACK 32 // side of what a group packs at once; TM and TN are multiples of it
#ifndef PACK_ROWS
#define PACK_ROWS 8 // rows of items of such a group
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
    const int x = get_local_id(0);
    const int y = get_local_id(1);
    const int column0 = get_group_id(0) * PACK;
    const int k0 = get_group_id(1) * PACK;
    global REAL *panel = packed + column0 / TN * TN * padded(K) + column0 % TN;
    REAL v[PACK / PACK_ROWS]; // all loads first: they are in flight together
    unrolled_for (int r = 0; r < PACK; r += PACK_ROWS) {
        const int k = k0 + y + r;
        v[r / PACK_ROWS] = k < K && column0 + x < N ? B[k * N + column0 + x] : 0;
    }
    unrolled_for (int r = 0; r < PACK; r += PACK_ROWS)
        if (k0 + y + r < padded(K))
            panel[(k0 + y + r) * TN + x] = v[r / PACK_ROWS];
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

// C has no padding: what lies beyond M and N is not stored.
void store_guarded(global REAL *C, // [M][N]
                   int M, int N, const REAL sum[RM][RN], int row0, int column0, int2 at)
{
    unrolled_for (int r = 0; r < RM; r++) {
        const int row = row0 + 4 * (at.y + r / 4 * LY) + r % 4;
        unrolled_for (int c = 0; c < RN; c++) {
            const int column = column0 + 4 * (at.x + c / 4 * LX) + c % 4;
            if (row < M && column < N)
                C[row * N + column] = sum[r][c];
        }
    }
}

// The edge of C. A tile with a single row in C takes as long as a full one. Where
// there are at most THIN rows, or columns, no tile is needed: an item takes one number
// of the tile's long side for each k, and those of the short side, which all items
// read together.

#ifndef THIN
#define THIN 0 // a multiple of 4; 0: all tiles are computed in the same way
#endif

#if THIN

// Whether the group's tile is thin; if it is, it is computed here.
bool thin_tile(int M, int N, int depth,
               global const REAL *A, // [panels][depth][TM]
               global const REAL *B, // [panels][depth][TN]
               global REAL *C,       // [M][N]
               int row0, int column0, uint item)
{
    const int rows = min(M - row0, TM);
    const int columns = min(N - column0, TN);
    const bool low = rows <= THIN; // so the short side is A's; else B's
    if (!low && columns > THIN)
        return false;
    global const REAL *along = low ? B + column0 * depth : A + row0 * depth;
    global const REAL *across = low ? A + row0 * depth : B + column0 * depth;
    const int along_step = low ? TN : TM; // from one k to the next
    const int across_step = low ? TM : TN;

    for (int i = item; i < (low ? columns : rows); i += ITEMS) {
        real4 sum[THIN / 4];
        unrolled_for (int q = 0; q < THIN / 4; q++)
            sum[q] = 0;
        for (int k0 = 0; k0 < depth; k0 += TK)
            unrolled_for (int k = k0; k < k0 + TK; k++) {
                const REAL x = along[k * along_step + i];
                global const real4 *across4 =
                    (global const real4 *)(across + k * across_step);
                unrolled_for (int q = 0; q < THIN / 4; q++)
                    sum[q] += x * across4[q];
            }
        REAL one[THIN];
        unrolled_for (int q = 0; q < THIN / 4; q++)
            vstore4(sum[q], q, one);
        unrolled_for (int s = 0; s < THIN; s++)
            if (s < (low ? rows : columns))
                C[low ? (row0 + s) * N + column0 + i
                      : (row0 + i) * N + column0 + s] = one[s];
    }
    return true;
}

#else
#define thin_tile(M, N, depth, A, B, C, row0, column0, item) false
#endif

// Which tile of C this group computes: (column, row), counted in tiles. Groups that
// run at the same time should read the same panels, so that a cache serves most of
// them. A band of SWIZZLE rows of tiles is walked column by column, here with SWIZZLE
// = 2 and 4 tiles in a row:
//
//     SWIZZLE 0   0 1 2 3      SWIZZLE 2   0 2 4 6      The first four groups need
//                 4 5 6 7                  1 3 5 7      1 + 4 panels, or 2 + 2.
//                 8 9 ...                  8 10 ...

#ifndef SWIZZLE
#define SWIZZLE 0 // 0: row by row, as the device numbers them
#endif

int2 tile_of_group(void)
{
#if SWIZZLE
    const int columns = get_num_groups(0);
    const int group = get_group_id(1) * columns + get_group_id(0);
    const int first = group / (SWIZZLE * columns) * SWIZZLE; // the band's first row
    // The last band may be lower.
    const int rows = min(SWIZZLE, (int)get_num_groups(1) - first);
    const int in_band = group - first * columns;
    return (int2)(in_band / rows, first + in_band % rows);
#else
    return (int2)(get_group_id(0), get_group_id(1));
#endif
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
    const int2 tile = tile_of_group();
    const int column0 = tile.x * TN;
    const int row0 = tile.y * TM;
    const int depth = padded(K);
    if (thin_tile(M, N, depth, A, B, C, row0, column0, item))
        return; // the whole group does: a tile is thin for all of its items

    global const real4 *A4 = (global const real4 *)(A + row0 * depth) + item;
    global const real4 *B4 = (global const real4 *)(B + column0 * depth) + item;

    real4 next_a[A_LOADS], next_b[B_LOADS];
    REAL sum[RM][RN], a[2][RM], b[2][RN];
    clear(sum);

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
// 5. Copies by the group: no item carries a number from global to local
// memory any more.
//
// Group and sizes as in kernel 4, the operands packed. In kernel 4 every number still
// passes through an item's registers: a load, some hundred cycles in a register, a
// store. A packed tile is one run of elements, so one request for all of it will do.
// OpenCL has a word for that, async_work_group_copy, and a device is free to make it a
// copy engine's job.
//
// NVIDIA's driver makes it a loop of loads and stores, with a wait in it. Its GPUs
// since Hopper (compute capability 9.0) do have the engine, out of reach of OpenCL C.
// -D HOPPER reaches it through the assembly language, PTX: cp.async.bulk copies a run
// of bytes, and an mbarrier, a word in local memory, counts the bytes that have
// arrived. Without it this is standard OpenCL C.

#ifdef HOPPER

// An mbarrier; its phase flips each time all that is due has arrived.
#define RECEIPT local ulong

uint shared_address(local const void *p)
{
    return (uint)(ulong)p; // PTX counts local memory from 0, in 32 bits
}

// One arrival is due per phase: item 0's, when it says how many bytes are to come.
void prepare(RECEIPT arrived[2], uint item)
{
    if (item == 0) {
        __asm__ volatile("mbarrier.init.shared.b64 [%0], 1;"
                         ::"r"(shared_address(&arrived[0])));
        __asm__ volatile("mbarrier.init.shared.b64 [%0], 1;"
                         ::"r"(shared_address(&arrived[1])));
        // For the engine to see.
        __asm__ volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// item 0 asks for `bytes` bytes, and goes on; *arrived counts them in.
void copy_bulk(local real4 *to, global const real4 *from, uint bytes, RECEIPT *arrived)
{
    __asm__ volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                     " [%0], [%1], %2, [%3];"
                     ::"r"(shared_address(to)), "l"(from), "r"(bytes),
                     "r"(shared_address(arrived))
                     : "memory");
}

// Asks for a pair of tiles.
void ask(local real4 *a_tile,    // [TK * TM / 4]
         local real4 *b_tile,    // [TK * TN / 4]
         global const real4 *A4, // [TK * TM / 4]
         global const real4 *B4, // [TK * TN / 4]
         RECEIPT *arrived, uint item)
{
    if (item != 0)
        return;
    const uint a_bytes = TK * TM * sizeof(REAL);
    const uint b_bytes = TK * TN * sizeof(REAL);
    __asm__ volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                     ::"r"(shared_address(arrived)), "r"(a_bytes + b_bytes)
                     : "memory");
    copy_bulk(a_tile, A4, a_bytes, arrived);
    copy_bulk(b_tile, B4, b_bytes, arrived);
}

// Waits until the phase of this parity, 0 or 1, is over.
void await(RECEIPT *arrived, uint phase)
{
    __asm__ volatile("{ .reg .pred done;\n"
                     "again_%=: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
                     "@!done bra again_%=; }"
                     ::"r"(shared_address(arrived)), "r"(phase)
                     : "memory");
}

#else

#define RECEIPT event_t

void prepare(RECEIPT arrived[2], uint item) {}

void ask(local real4 *a_tile,    // [TK * TM / 4]
         local real4 *b_tile,    // [TK * TN / 4]
         global const real4 *A4, // [TK * TM / 4]
         global const real4 *B4, // [TK * TN / 4]
         RECEIPT *arrived, uint item)
{
    *arrived = async_work_group_copy(a_tile, A4, TK * TM / 4, 0);
    *arrived = async_work_group_copy(b_tile, B4, TK * TN / 4, *arrived);
}

void await(RECEIPT *arrived, uint phase)
{
    wait_group_events(1, arrived);
}

#endif

__attribute__((reqd_work_group_size(GX, GY, 1)))
kernel void matmul_group_copy(int M, int N, int K,
                              global const REAL *restrict A, // [panels][depth][TM]
                              global const REAL *restrict B, // [panels][depth][TN]
                              global REAL *restrict C)       // [M][N]
{
    local real4 a_tile[2][TK][TM / 4] __attribute__((aligned(128)));
    local real4 b_tile[2][TK][TN / 4] __attribute__((aligned(128)));
    RECEIPT arrived[2]; // one for each pair of tiles

    const uint item = get_local_id(1) * GX + get_local_id(0);
    const int2 at = place(item);
    const int2 tile = tile_of_group();
    const int column0 = tile.x * TN;
    const int row0 = tile.y * TM;
    const int depth = padded(K);
    if (thin_tile(M, N, depth, A, B, C, row0, column0, item))
        return;

    global const real4 *A4 = (global const real4 *)(A + row0 * depth);
    global const real4 *B4 = (global const real4 *)(B + column0 * depth);

    REAL sum[RM][RN], a[2][RM], b[2][RN];
    clear(sum);

    prepare(arrived, item);
    ask(a_tile[0][0], b_tile[0][0], A4, B4, &arrived[0], item);
    await(&arrived[0], 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    int t = 0;
    uint phase = 0; // of the awaited pair: it flips once both have had their turn
    take(a[0], b[0], a_tile[t][0], b_tile[t][0], at);
    for (int k0 = 0; k0 < depth; k0 += TK) {
        const int k1 = min(k0 + TK, depth - TK);
        ask(a_tile[1 - t][0], b_tile[1 - t][0], A4 + k1 * (TM / 4), B4 + k1 * (TN / 4),
            &arrived[1 - t], item);
        unrolled_for (int k = 0; k < TK; k++) {
            if (k == TK - 1) {
                t = 1 - t;
                phase ^= 1 - t;
                await(&arrived[t], phase);
                barrier(CLK_LOCAL_MEM_FENCE); // nobody reads the other pair any more
            }
            take(a[(k + 1) % 2], b[(k + 1) % 2],
                 a_tile[t][(k + 1) % TK], b_tile[t][(k + 1) % TK], at);
            multiply(sum, a[k % 2], b[k % 2]);
        }
    }
    store_guarded(C, M, N, sum, row0, column0, at);
}

// -------------------------------------------------------------------------------------
// 6. Shares of a sum: where C has few tiles, several groups compute one of them, each
// over its share of K.
//
// Group of GX x GY items; ceil(N / TN) x ceil(M / TM) x SHARES groups; M, N and K are
// anything. LX, LY, TM, TN, TK as in kernel 1.
//
// What kernels 4 and 5 gain, a small product loses again. Packing costs two launches
// that wait for one another. And a C of 512 x 512 has 32 tiles, where a GPU
// has 132 units: 100 of them have nothing to do, however long the sums are.
//
//     one group for a tile                   SHARES = 4, one group for each share of K
//
//                k ->                                       k ->
//     unit 0     # # # # # # # # # # # #     unit 0         # # #
//     units 1,   nothing to do               unit 1               # # #
//     2, 3                                   unit 2                     # # #
//                                            unit 3                           # # #
//
// So here A and B are read where they are, and each fetch asks what exists. A sum that
// is cut needs somebody to add the shares: each group stores its own, and sum_shares
// adds them, always in the same order. C gets the same bits in every run, which it
// would not if the groups added to it by atomics, as each comes to its end.

#ifndef SHARES
#define SHARES 1 // 1: C is whole, and no second kernel is needed
#endif

#ifndef WHOLE
#define WHOLE 0 // 1: N and K are multiples of 4, so a row is a row of real4
#endif

// Four numbers in a row.
real4 four(global const REAL *at)
{
#if WHOLE
    return *(global const real4 *)at;
#else
    return (real4)(at[0], at[1], at[2], at[3]);
#endif
}

// The same at the end of a row of `length` numbers: 0 for those that do not exist. Each
// is loaded all the same, from where there is one, so that nobody branches.
real4 four_at_end(global const REAL *row, int at, int length)
{
#if WHOLE
    const real4 v = four(row + min(at, length - 4));
    return at < length ? v : (real4)(0);
#else
    REAL v[4];
    unrolled_for (int i = 0; i < 4; i++) {
        const REAL x = row[min(at + i, length - 1)];
        v[i] = at + i < length ? x : 0;
    }
    return (real4)(v[0], v[1], v[2], v[3]);
#endif
}

// As fetch in kernel 1, of operands that nobody has padded. The last row of A stands in
// for those behind it: what comes of them is not stored.
void fetch_guarded(real4 a[A_LOADS], real4 b[B_LOADS],
                   global const REAL *A, // [M][K]
                   global const REAL *B, // [K][N]
                   int M, int N, int K, int row0, int column0, int k0, uint item)
{
    int a_row[A_LOADS], a_k[A_LOADS], b_k[B_LOADS], b_column[B_LOADS];
    unrolled_for (int q = 0; q < A_LOADS; q++) {
        const int i = q * ITEMS + item;
        a_row[q] = min(row0 + i / (TK / 4), M - 1);
        a_k[q] = i % (TK / 4) * 4;
    }
    unrolled_for (int q = 0; q < B_LOADS; q++) {
        const int i = q * ITEMS + item;
        b_k[q] = i / (TN / 4);
        b_column[q] = column0 + i % (TN / 4) * 4;
    }
    // Nearly always nothing is to be asked: the tiles end before K and before the last
    // number of B. They may reach over the end of a row of B into the next one: what
    // comes of that is not stored either.
    if (k0 + TK <= K && (k0 + TK - 1) * N + column0 + TN <= K * N) {
        unrolled_for (int q = 0; q < A_LOADS; q++)
            a[q] = four(A + k0 + (a_row[q] * K + a_k[q]));
        unrolled_for (int q = 0; q < B_LOADS; q++)
            b[q] = four(B + k0 * N + (b_k[q] * N + b_column[q]));
    } else {
        unrolled_for (int q = 0; q < A_LOADS; q++)
            a[q] = four_at_end(A + a_row[q] * K, k0 + a_k[q], K);
        unrolled_for (int q = 0; q < B_LOADS; q++) {
            const int k = k0 + b_k[q];
            const real4 v = four_at_end(B + min(k, K - 1) * N, b_column[q], N);
            b[q] = k < K ? v : (real4)(0);
        }
    }
}

// As store and store_guarded; C: [M][N].
void store_fours(global REAL *C, int M, int N, const REAL sum[RM][RN], int row0,
                 int column0, int2 at)
{
#if WHOLE
    unrolled_for (int r = 0; r < RM; r++) {
        const int row = row0 + 4 * (at.y + r / 4 * LY) + r % 4;
        unrolled_for (int c = 0; c < RN; c += 4) {
            const int column = column0 + 4 * (at.x + c / 4 * LX);
            if (row < M && column < N)
                *(global real4 *)(C + row * N + column) =
                    (real4)(sum[r][c], sum[r][c + 1], sum[r][c + 2], sum[r][c + 3]);
        }
    }
#else
    store_guarded(C, M, N, sum, row0, column0, at);
#endif
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
    REAL sum[RM][RN], a[2][RM], b[2][RN];
    clear(sum);

    fetch_guarded(next_a, next_b, A, B, M, N, K, row0, column0, first, item);
    put(a_tile[0], b_tile[0], next_a, next_b, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    int t = 0;
    take(a[0], b[0], a_tile[t][0], b_tile[t][0], at);
    for (int k0 = first; k0 < end; k0 += TK) {
        const int k1 = min(k0 + TK, end - TK);
        fetch_guarded(next_a, next_b, A, B, M, N, K, row0, column0, k1, item);
        unrolled_for (int k = 0; k < TK; k++) {
            if (k == PUT_STEP)
                put(a_tile[1 - t], b_tile[1 - t], next_a, next_b, item);
            if (k == TK - 1) {
                barrier(CLK_LOCAL_MEM_FENCE);
                t = 1 - t;
            }
            take(a[(k + 1) % 2], b[(k + 1) % 2],
                 a_tile[t][(k + 1) % TK], b_tile[t][(k + 1) % TK], at);
            multiply(sum, a[k % 2], b[k % 2]);
        }
    }
    store_fours(C + share * M * N, M, N, sum, row0, column0, at);
}

// Group of anything, an item for each element of C, or for each real4 where rows are
// made of them. get_global_id(0) runs along a row.
kernel void sum_shares(int M, int N,
                       global const REAL *restrict shares, // [SHARES][M][N]
                       global REAL *restrict C)            // [M][N]
{
#if WHOLE
    typedef real4 some;
#else
    typedef REAL some;
#endif
    const int columns = N * sizeof(REAL) / sizeof(some);
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= columns)
        return;
    some sum = 0;
    unrolled_for (int share = 0; share < SHARES; share++)
        sum += ((global const some *)shares)[(share * M + row) * columns + column];
    ((global some *)C)[row * columns + column] = sum;
}

// -------------------------------------------------------------------------------------
// 7. Copies that pass no register, of operands that nobody has packed.
//
// Group, shares and sizes as in kernel 6. TK is a multiple of 8, and ITEMS of 4 * TK.
//
// Kernel 5's engine copies runs, so both operands must be packed. NVIDIA's GPUs since
// Ampere (compute capability 8.0) also have a load that ends in local memory, cp.async.
// It takes single elements, from anywhere to anywhere: A is transposed on its way, a
// row may begin at any address, and an element that does not exist arrives as 0.
// -D AMPERE=1 reaches it through PTX. Without it this is standard OpenCL C, and each
// item waits for what it copies.
//
// What is asked for takes up local memory, but no register. So a group may ask for
// several pairs of tiles ahead, and registers are left for more groups:
//
//     STAGES = 2   ask 1 | multiply 0, ask 2 | multiply 1, ask 3 | ...
//
//     STAGES = 3   ask 2 | multiply 0, ask 3 | multiply 1, ask 4 | ...

#ifndef STAGES
#define STAGES 3 // pairs of tiles, at least 2: one is read, the others are asked for
#endif

#ifndef AMPERE
#define AMPERE 0
#endif

#if AMPERE

// Asks for `bytes` bytes; where they do not exist, for zeros. The item goes on.
#define COPY(to, from, bytes, how)                                                     \
    __asm__ volatile("cp.async." how ".shared.global [%0], [%1], %2, %3;"              \
                     ::"r"((uint)(ulong)(to)), "l"(from), "n"(bytes),                  \
                     "r"(exists ? bytes : 0)                                           \
                     : "memory")

void copy_one(local REAL *to, global const REAL *from, bool exists)
{
    COPY(to, from, (int)sizeof(REAL), "ca");
}

// A copy is of 16 bytes at most, so four doubles are two. They pass by the first-level
// cache: no other item of the group needs them.
void copy_four(local real4 *to, global const real4 *from, bool exists)
{
    unrolled_for (int at = 0; at < (int)sizeof(real4); at += 16)
        COPY((local char *)to + at, (global const char *)from + at, 16, "cg");
}

// What an item has asked for since its last commit is one pair of tiles.
void commit(void)
{
    __asm__ volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until all that this item asked for has come, but for the last STAGES - 2 pairs.
void await_oldest(void)
{
    __asm__ volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
}

#else

void copy_one(local REAL *to, global const REAL *from, bool exists)
{
    *to = exists ? *from : 0;
}

void copy_four(local real4 *to, global const real4 *from, bool exists)
{
    *to = exists ? *from : (real4)(0);
}

void commit(void) {}
void await_oldest(void) {}

#endif

#if WHOLE // B goes by fours; A never, since it is transposed
#define SOME real4
#define B_SOME 4 // elements of B in a copy
#define copy_some copy_four
#else
#define SOME REAL
#define B_SOME 1
#define copy_some copy_one
#endif
#define B_ROW (TN / B_SOME) // copies for a row of B's tile

// This item's copies of a pair of tiles. `rows`, `columns` and `depth` say how many
// exist from the first one on; where `all` do, nobody asks.
void copy_tiles(local REAL *a_tile,   // [TK][TM + PAD]
                local SOME *b_tile,   // [TK][B_ROW]
                global const REAL *A, // [rows][K]
                global const REAL *B, // [depth][N]
                int N, int K, int rows, int columns, int depth, bool all, uint item)
{
    // 32 items ask for 8 elements of each of 4 rows of A: whole sectors, and 32 banks
    // of the tile.
    const int a_k = item % 8 + item / 32 % (TK / 8) * 8;
    const int a_row = item / 8 % 4 + item / (4 * TK) * 4;
    unrolled_for (int q = 0; q < TM * TK / ITEMS; q++) {
        const int row = a_row + q * (ITEMS / TK);
        copy_one(a_tile + a_k * (TM + PAD) + row, A + row * K + a_k,
                 all || (row < rows && a_k < depth));
    }
    unrolled_for (int q = 0; q < TK * B_ROW / ITEMS; q++) {
        const int k = item / B_ROW + q * ITEMS / B_ROW;
        const int column = (item % B_ROW + q * ITEMS % B_ROW) * B_SOME;
        copy_some(b_tile + q * ITEMS + item, (global const SOME *)(B + k * N + column),
                  all || (k < depth && column < columns));
    }
}

// Asks for a pair of tiles; beyond the end of the share there is nothing to ask for.
void ask_tiles(local real4 a_tile[TK][A_ROW], local real4 b_tile[TK][TN / 4],
               global const REAL *A, // [rows][K]
               global const REAL *B, // [depth][N]
               int N, int K, int rows, int columns, int depth, uint item)
{
    local REAL *a = (local REAL *)a_tile;
    local SOME *b = (local SOME *)b_tile;
    if (rows >= TM && columns >= TN && depth >= TK)
        copy_tiles(a, b, A, B, N, K, rows, columns, depth, true, item);
    else if (depth > 0)
        copy_tiles(a, b, A, B, N, K, rows, columns, depth, false, item);
    commit();
}

__attribute__((reqd_work_group_size(GX, GY, 1)))
kernel void matmul_stages(int M, int N, int K,
                          global const REAL *restrict A, // [M][K]
                          global const REAL *restrict B, // [K][N]
                          global REAL *restrict C)       // [SHARES][M][N]
{
    local real4 a_tile[STAGES][TK][A_ROW];
    local real4 b_tile[STAGES][TK][TN / 4];

    const uint item = get_local_id(1) * GX + get_local_id(0);
    const int2 at = place(item);
    const int column0 = get_group_id(0) * TN;
    const int row0 = get_group_id(1) * TM;
    const int share = get_group_id(2);
    const int tiles = padded(K) / TK;
    const int first = share * tiles / SHARES * TK;
    const int end = min((share + 1) * tiles / SHARES * TK, K);

    REAL sum[RM][RN], a[2][RM], b[2][RN];
    clear(sum);

    unrolled_for (int s = 0; s < STAGES - 1; s++) {
        const int k = first + s * TK;
        ask_tiles(a_tile[s], b_tile[s], A + row0 * K + k, B + k * N + column0,
                  N, K, M - row0, N - column0, end - k, item);
    }
    await_oldest();
    barrier(CLK_LOCAL_MEM_FENCE);
    int t = 0;             // the pair that is read
    int free = STAGES - 1; // the pair that nobody reads
    take(a[0], b[0], a_tile[t][0], b_tile[t][0], at);
    for (int k0 = first; k0 < end; k0 += TK) {
        const int k1 = k0 + (STAGES - 1) * TK;
        ask_tiles(a_tile[free], b_tile[free], A + row0 * K + k1, B + k1 * N + column0,
                  N, K, M - row0, N - column0, end - k1, item);
        unrolled_for (int k = 0; k < TK; k++) {
            if (k == TK - 1) {
                await_oldest();
                barrier(CLK_LOCAL_MEM_FENCE);
                free = t;
                t = t + 1 < STAGES ? t + 1 : 0;
            }
            take(a[(k + 1) % 2], b[(k + 1) % 2],
                 a_tile[t][(k + 1) % TK], b_tile[t][(k + 1) % TK], at);
            multiply(sum, a[k % 2], b[k % 2]);
        }
    }
    store_fours(C + share * M * N, M, N, sum, row0, column0, at);
}

// -------------------------------------------------------------------------------------
// 8. Few rows, or few columns: a product that waits for memory alone.
//
// Groups of SIDE x LANES items, or of LANES x SIDE. Any M, N and K; FEW is M in
// the first kernel and N in the second, but LANES at most.
//
// All kernels above fight for arithmetic. This is the roofline's other side. With M = 1
// each element of B serves one multiply-add: half an operation for each byte of memory,
// where a GPU could do 15. Nothing is used twice, so no tile helps, and to pack
// B takes longer than the product. Three things count: nothing is loaded twice,
// neighbours ask for neighbouring addresses, and enough is in flight at any moment.
//
// For the last one LANES items share a sum, since C alone has too few elements. Of item
// `lane` is each k that is `lane` more than a multiple of LANES. They add their
// shares up in local memory, always in the same order.
//
//                columns ->                          k ->
//     k     0  | lane 0 lane 0 ... |        row 0  | lane 0  lane 1  lane 2 ... |
//     |     1  | lane 1 lane 1 ... |        row 1  | lane 0  lane 1  lane 2 ... |
//     v     2  | lane 2 lane 2 ... |        ...
//              B, for few rows of C                A, for few columns of C

#define LANES 16 // items that share a sum
#define SIDE 16  // rows or columns of C that lie side by side in a group

#ifndef FEW
#define FEW 1 // sums of an item, each of another row, or another column
#endif

__attribute__((reqd_work_group_size(SIDE, LANES, 1)))
kernel void matmul_rows_by_lanes(int M, int N, int K,
                                 global const REAL *restrict A, // [M][K]
                                 global const REAL *restrict B, // [K][N]
                                 global REAL *restrict C)       // [M][N]
{
    local REAL shares[FEW][LANES][SIDE];

    const int x = get_local_id(0);
    const int lane = get_local_id(1);
    const int column = get_global_id(0);
    const int row0 = get_group_id(1) * LANES;
    // Behind the edge of C the last row and column stand in: their sums are not stored.
    global const REAL *b = B + min(column, N - 1);
    global const REAL *a[FEW];
    REAL sum[FEW];
    unrolled_for (int r = 0; r < FEW; r++) {
        a[r] = A + min(row0 + r, M - 1) * K;
        sum[r] = 0;
    }
    #pragma unroll 16 // as many loads of B are in flight
    for (int k = lane; k < K; k += LANES) {
        const REAL one = b[k * N];
        unrolled_for (int r = 0; r < FEW; r++)
            sum[r] += a[r][k] * one;
    }
    unrolled_for (int r = 0; r < FEW; r++)
        shares[r][lane][x] = sum[r];
    barrier(CLK_LOCAL_MEM_FENCE); // all shares are there before anybody adds them up
    // Now each lane has a row of its own.
    const int row = row0 + lane;
    if (lane >= FEW || row >= M || column >= N)
        return;
    REAL total = 0;
    unrolled_for (int other = 0; other < LANES; other++)
        total += shares[lane][other][x];
    C[row * N + column] = total;
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
    const int row = get_global_id(1);
    const int column0 = get_group_id(0) * LANES;
    global const REAL *a = A + min(row, M - 1) * K;
    global const REAL *b[FEW];
    REAL sum[FEW];
    unrolled_for (int c = 0; c < FEW; c++) {
        b[c] = B + min(column0 + c, N - 1);
        sum[c] = 0;
    }
    #pragma unroll 16 // as many loads of A are in flight
    for (int k = lane; k < K; k += LANES) {
        const REAL one = a[k];
        unrolled_for (int c = 0; c < FEW; c++)
            sum[c] += one * b[c][k * N];
    }
    unrolled_for (int c = 0; c < FEW; c++)
        shares[c][y][lane] = sum[c];
    barrier(CLK_LOCAL_MEM_FENCE);
    const int column = column0 + lane;
    if (lane >= FEW || row >= M || column >= N)
        return;
    REAL total = 0;
    unrolled_for (int other = 0; other < LANES; other++)
        total += shares[lane][y][other];
    C[row * N + column] = total;
}
