// Lesson 13: copies that pass no register, by a vendor's instructions.
//
//     C[M][N] = A[M][K] * B[K][N], row-major; get_global_id(0) runs along a row of C.
//
// The product is lesson 10's: a group computes TM x TN elements of C, an item RM x RN,
// and while one pair of tiles is multiplied the next one is on its way. There each
// number waits in a register between global and local memory. Here none does.
//
// OpenCL C has no word for what these kernels ask of an NVIDIA GPU. PTX, its assembly
// language, has, and the compiler takes it in the middle of a function: a template,
// what it writes, what it reads ("r" is a register of 32 bits, "l" one of 64, "n" a
// number that the compiler knows), and what else it may change ("memory"). %0, %1, ...
// stand for these in order; %= is another number at each place, for labels.
//
// Beside each of them stands the same in standard OpenCL C. The host sets HOPPER or
// AMPERE where the device has the instruction, so the program builds everywhere.

#define unrolled_for _Pragma("unroll") for // as in lesson 10: sums stay in registers
#ifndef TM
#define TM 64  // rows of C per group
#define TN 128 // columns of C per group
#define RM 8   // rows of C per item
#define RN 8   // columns of C per item
#endif
#define TK 16        // how deep the tiles are
#define GX (TN / RN) // items of a group side by side
#define GY (TM / RM) // and one below the other
#define ITEMS (GX * GY)
#if RM % 4 || RN % 4 || TM % RM || TN % RN || TK % 8
#error "RM and RN must be multiples of 4 that divide TM and TN, and TK one of 8"
#endif
#define padded(K) (((K) + TK - 1) / TK * TK) // K, rounded up to whole tiles
#define SHARED(p) ((uint)(ulong)(p)) // PTX counts local memory from 0, in 32 bits
#ifndef WHOLE
#define WHOLE 0 // 1: N and K are multiples of 4, so a row is a row of float4
#endif

// -------------------------------------------------------------------------------------
// The pieces, as in lesson 10. An item owns blocks of 4 x 4 elements of C, GX and GY of
// them apart; `at` says where it stands in its group.

// What an item needs of one row of either tile.
void take(float a[RM], float b[RN],
          local const float4 *a_row, // [TM / 4]
          local const float4 *b_row, // [TN / 4]
          int2 at)
{
    unrolled_for (int j = 0; j < RN / 4; j++)
        vstore4(b_row[at.x + j * GX], j, b);
    unrolled_for (int i = 0; i < RM / 4; i++)
        vstore4(a_row[at.y + i * GY], i, a);
}

// RM * RN multiply-adds, in serpentine order.
void multiply(float sum[RM][RN], const float a[RM], const float b[RN])
{
    unrolled_for (int r = 0; r < RM; r++)
        unrolled_for (int n = 0; n < RN; n++) {
            const int c = r % 2 == 0 ? n : RN - 1 - n;
            sum[r][c] += a[r] * b[c];
        }
}

// All rows of a pair of tiles but for the last, which stays in a[1] and b[1]: while it
// is multiplied, the first one of the next pair is on its way.
void multiply_tiles(float sum[RM][RN], float a[2][RM], float b[2][RN],
                    local const float4 *a_tile, // [TK][a_row]
                    local const float4 *b_tile, // [TK][TN / 4]
                    int a_row, int2 at)
{
    unrolled_for (int k = 1; k < TK; k++) {
        take(a[k % 2], b[k % 2], a_tile + k * a_row, b_tile + k * (TN / 4), at);
        multiply(sum, a[(k - 1) % 2], b[(k - 1) % 2]);
    }
}

// What lies beyond M and N is not stored.
void store(global float *C, // [M][N]
           int M, int N, const float sum[RM][RN], int row0, int column0, int2 at)
{
    unrolled_for (int r = 0; r < RM; r++)
        unrolled_for (int c = 0; c < RN; c++) {
            const int row = row0 + 4 * (at.y + r / 4 * GY) + r % 4;
            const int column = column0 + 4 * (at.x + c / 4 * GX) + c % 4;
            if (row < M && column < N)
                C[row * N + column] = sum[r][c];
        }
}

// -------------------------------------------------------------------------------------
// 1. Copies by the group: one request for a whole tile.
//
// Groups of GX x GY items, one for each tile of C; M, N, K are anything. Operands are
// packed as in lesson 10: each tile is one run of numbers, with zeros for those that do
// not exist. OpenCL copies a run by async_work_group_copy, which is a loop of loads and
// stores on an NVIDIA GPU. Since Hopper these have an engine as well: cp.async.bulk
// copies a run of bytes, and an mbarrier, a word in local memory, counts them in.

#define PACK 32     // side of what a group packs at once
#define PACK_ROWS 8 // rows of items of such a group
#if TM % PACK || TN % PACK || PACK % PACK_ROWS
#error "PACK must divide TM and TN: a panel is packed in squares of PACK"
#endif

// Groups of PACK x PACK_ROWS items, one for PACK x PACK elements of a panel; here
// get_global_id(0) runs along k, and below along the columns.
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

#ifdef HOPPER
#define RECEIPT local ulong // an mbarrier: a phase of it ends when all is there
// Asks for `bytes` bytes; *due counts them in.
void copy_bulk(local float4 *to, global const float4 *from, uint bytes, RECEIPT *due)
{
    __asm__ volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                     " [%0], [%1], %2, [%3];"
                     ::"r"(SHARED(to)), "l"(from), "r"(bytes), "r"(SHARED(due))
                     : "memory");
}
#else
#define RECEIPT event_t
#endif

// One arrival is due per phase: item 0's, when it says how many bytes are to come.
void prepare(RECEIPT arrived[2], uint item)
{
#ifdef HOPPER
    if (item == 0) {
        unrolled_for (int t = 0; t < 2; t++)
            __asm__ volatile("mbarrier.init.shared.b64 [%0], 1;"
                             ::"r"(SHARED(&arrived[t])));
        // For the engine to see.
        __asm__ volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

// Asks for a pair of tiles, and goes on.
void ask(local float4 *a_tile,    // [TK * TM / 4]
         local float4 *b_tile,    // [TK * TN / 4]
         global const float4 *A4, // [TK * TM / 4]
         global const float4 *B4, // [TK * TN / 4]
         RECEIPT *arrived, uint item)
{
#ifdef HOPPER
    if (item != 0)
        return;
    __asm__ volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                     ::"r"(SHARED(arrived)), "r"(4 * TK * (TM + TN)) : "memory");
    copy_bulk(a_tile, A4, 4 * TK * TM, arrived);
    copy_bulk(b_tile, B4, 4 * TK * TN, arrived);
#else
    *arrived = async_work_group_copy(a_tile, A4, TK * TM / 4, 0);
    *arrived = async_work_group_copy(b_tile, B4, TK * TN / 4, *arrived);
#endif
}

// Waits until the phase of this parity, 0 or 1, is over.
void await(RECEIPT *arrived, uint phase)
{
#ifdef HOPPER
    __asm__ volatile("{ .reg .pred done;\n"
                     "again_%=: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
                     "@!done bra again_%=; }"
                     ::"r"(SHARED(arrived)), "r"(phase) : "memory");
#else
    wait_group_events(1, arrived);
#endif
}

__attribute__((reqd_work_group_size(GX, GY, 1)))
kernel void matmul_group_copy(int M, int N, int K,
                              global const float *restrict A, // [panels][depth][TM]
                              global const float *restrict B, // [panels][depth][TN]
                              global float *restrict C)       // [M][N]
{
    local float4 a_tile[2][TK][TM / 4] __attribute__((aligned(128)));
    local float4 b_tile[2][TK][TN / 4] __attribute__((aligned(128)));
    RECEIPT arrived[2]; // one for each pair of tiles

    const int2 at = (int2)(get_local_id(0), get_local_id(1));
    const uint item = at.y * GX + at.x;
    const int column0 = get_group_id(0) * TN;
    const int row0 = get_group_id(1) * TM;
    const int depth = padded(K);
    global const float4 *A4 = (global const float4 *)(A + row0 * depth);
    global const float4 *B4 = (global const float4 *)(B + column0 * depth);

    float sum[RM][RN] = {{0}}, a[2][RM], b[2][RN];
    prepare(arrived, item);
    ask(a_tile[0][0], b_tile[0][0], A4, B4, &arrived[0], item);
    await(&arrived[0], 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    int t = 0;      // the pair that is read
    uint phase = 0; // of the awaited pair: it flips once both have had their turn
    take(a[0], b[0], a_tile[t][0], b_tile[t][0], at);
    for (int k0 = 0; k0 < depth; k0 += TK) {
        const int k1 = min(k0 + TK, depth - TK); // the last pair is asked for twice
        ask(a_tile[1 - t][0], b_tile[1 - t][0], A4 + k1 * (TM / 4), B4 + k1 * (TN / 4),
            &arrived[1 - t], item);
        multiply_tiles(sum, a, b, a_tile[t][0], b_tile[t][0], TM / 4, at);
        t = 1 - t;
        phase ^= 1 - t;
        await(&arrived[t], phase);
        barrier(CLK_LOCAL_MEM_FENCE); // nobody reads the other pair any more
        take(a[0], b[0], a_tile[t][0], b_tile[t][0], at);
        multiply(sum, a[1], b[1]);
    }
    store(C, M, N, sum, row0, column0, at);
}

// -------------------------------------------------------------------------------------
// 2. Copies of single numbers, of operands that nobody has packed.
//
// Groups of GX x GY items, SHARES for each tile of C, as in lesson 10; M, N and K are
// anything. GPUs since Ampere have a load that ends in local memory, cp.async, from
// anywhere to anywhere: A is transposed on its way, and what does not exist becomes 0.
// What is asked for takes up no register, so several pairs of tiles may be under way:
//
//     STAGES = 2   ask 1 | multiply 0, ask 2 | multiply 1, ask 3 | ...
//     STAGES = 3   ask 2 | multiply 0, ask 3 | multiply 1, ask 4 | ...

#ifndef SHARES
#define SHARES 1 // 1: C is whole, and no second kernel is needed
#endif
#define STAGES 3 // pairs of tiles, at least 2: one is read, the others are asked for
#define A_ROW (TM / 4 + 1) // float4 in a row of A's tile: one of them against conflicts
#if ITEMS % (4 * TK) || TM * TK % ITEMS || TK * TN % (4 * ITEMS)
#error "4*TK must divide ITEMS, which divides TM*TK and TK*TN/4: all copy equally much"
#endif
#if WHOLE
typedef float4 some; // what B is copied by; A is by single numbers, to be transposed
#else
typedef float some;
#endif
#define AT_ONCE ((int)sizeof(some) / 4)
#define B_ROW (TN / AT_ONCE) // copies for a row of B's tile

// Copies a number, or a float4; where it does not exist, zeros. The item goes on.
#if AMPERE
#define COPY(to, from, exists)                                                         \
    __asm__ volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"                   \
                     ::"r"(SHARED(to)), "l"(from), "n"((int)sizeof(*(to))),            \
                     "r"((exists) ? (int)sizeof(*(to)) : 0) : "memory")
#else
#define COPY(to, from, exists) *(to) = (exists) ? *(from) : 0
#endif

// Asks for a pair of tiles: what an item has asked for since its last commit. `rows`,
// `columns` and `depth` say how many exist from the first one on. The last row of A and
// column of B stand in for those behind them: what comes of these is not stored.
void ask_tiles(local float4 *a_tile,  // [TK][A_ROW]
               local float4 *b_tile,  // [TK][TN / 4]
               global const float *A, // [rows][K]
               global const float *B, // [depth][N]
               int N, int K, int rows, int columns, int depth, uint item)
{
    // 32 items ask for 8 elements of each of 4 rows of A: whole sectors, and 32 banks.
    const int a_k = item % 8 + item / 32 % (TK / 8) * 8;
    const int a_row = item / 8 % 4 + item / (4 * TK) * 4;
    unrolled_for (int q = 0; q < TM * TK / ITEMS; q++) {
        const int row = a_row + q * (ITEMS / TK);
        COPY((local float *)(a_tile + a_k * A_ROW) + row,
             A + min(row, rows - 1) * K + a_k, a_k < depth);
    }
    unrolled_for (int q = 0; q < TK * B_ROW / ITEMS; q++) {
        const int k = item / B_ROW + q * ITEMS / B_ROW;
        const int column = (item % B_ROW + q * ITEMS % B_ROW) * AT_ONCE;
        COPY((local some *)b_tile + q * ITEMS + item,
             (global const some *)(B + k * N + min(column, columns - AT_ONCE)),
             k < depth);
    }
#if AMPERE
    __asm__ volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until all that this item asked for has come, but for the last STAGES - 2 pairs.
void await_oldest(void)
{
#if AMPERE
    __asm__ volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
#endif
}

__attribute__((reqd_work_group_size(GX, GY, 1)))
kernel void matmul_stages(int M, int N, int K,
                          global const float *restrict A, // [M][K]
                          global const float *restrict B, // [K][N]
                          global float *restrict C)       // [SHARES][M][N]
{
    local float4 a_tile[STAGES][TK][A_ROW];
    local float4 b_tile[STAGES][TK][TN / 4];

    const int2 at = (int2)(get_local_id(0), get_local_id(1));
    const uint item = at.y * GX + at.x;
    const int column0 = get_group_id(0) * TN;
    const int row0 = get_group_id(1) * TM;
    const int share = get_group_id(2);
    const int tiles = padded(K) / TK;
    const int first = share * tiles / SHARES * TK;
    const int end = min((share + 1) * tiles / SHARES * TK, K);

    float sum[RM][RN] = {{0}}, a[2][RM], b[2][RN];
    unrolled_for (int s = 0; s < STAGES - 1; s++) {
        const int k = first + s * TK;
        ask_tiles(a_tile[s][0], b_tile[s][0], A + row0 * K + k, B + k * N + column0,
                  N, K, M - row0, N - column0, end - k, item);
    }
    await_oldest();
    barrier(CLK_LOCAL_MEM_FENCE);
    int t = 0;             // the pair that is read
    int free = STAGES - 1; // the pair that nobody reads
    take(a[0], b[0], a_tile[t][0], b_tile[t][0], at);
    for (int k0 = first; k0 < end; k0 += TK) {
        const int k1 = k0 + (STAGES - 1) * TK;
        ask_tiles(a_tile[free][0], b_tile[free][0], A + row0 * K + k1,
                  B + k1 * N + column0, N, K, M - row0, N - column0, end - k1, item);
        multiply_tiles(sum, a, b, a_tile[t][0], b_tile[t][0], A_ROW, at);
        await_oldest();
        barrier(CLK_LOCAL_MEM_FENCE);
        free = t;
        t = t + 1 < STAGES ? t + 1 : 0;
        take(a[0], b[0], a_tile[t][0], b_tile[t][0], at);
        multiply(sum, a[1], b[1]);
    }
    store(C + share * M * N, M, N, sum, row0, column0, at);
}

// Groups of anything, an item for each element of C. get_global_id(0) runs along a row.
kernel void add_shares(int M, int N,
                       global const float *restrict shares, // [SHARES][M][N]
                       global float *restrict C)            // [M][N]
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;
    float sum = 0;
    unrolled_for (int share = 0; share < SHARES; share++)
        sum += shares[(share * M + row) * N + column];
    C[row * N + column] = sum;
}
