// Lesson 13: beyond fp32. NVIDIA's matrix units, by PTX, its assembly language. A and B
// have 16 bits, or 19 of them count; sums stay floats.
//
//     C[M][N] = A[M][K] * B[K][N], row-major; C is float.
//
// What has PTX is left out of a program that does not define MATRIX_UNITS. An asm
// statement is a template, what it writes ("=r"), what it reads ("r"), and what else it
// may change ("memory"); %0, %1, ... stand for these in order, and %[a] for one that is
// called a. "r" is a register of 32 bits, "l" one of 64, "f" a float.

#define unrolled_for _Pragma("unroll") for // a loop that the compiler writes out

// -------------------------------------------------------------------------------------
// What both sections share.

#if TF32 // floats, of which the units take 19 bits
#define INPUT float
#define BITS uint // OpenCL C only loads and stores halves: they are copied as numbers
#elif BF16
#define INPUT ushort
#define BITS ushort
#else
#define INPUT half
#define BITS ushort
#endif
#define SIZE ((int)sizeof(INPUT))
#define CHUNK (16 / SIZE) // elements of 16 bytes, the most that one item copies at once

#ifndef ROW
#define ROW CHUNK // a row's length in memory is a multiple of it
#endif

int pitch(int columns)
{
    return (columns + ROW - 1) / ROW * ROW;
}

// CHUNK elements of a row, zeros where there are none.
uint4 chunk(global const INPUT *from, int rows, int columns, int row, int column)
{
    global const BITS *source = (global const BITS *)from + row * columns + column;
    if (columns % CHUNK == 0 && row < rows && column < columns)
        return *(global const uint4 *)source;
    union {
        BITS numbers[CHUNK];
        uint4 all;
    } some;
    unrolled_for (int i = 0; i < CHUNK; i++)
        some.numbers[i] = row < rows && column + i < columns ? source[i] : 0;
    return some.all;
}

// Where rows begin elsewhere, they are copied first, each filled up with zeros. Any
// group; an item copies CHUNK elements of four rows, and get_global_id(0) runs along a
// row.
kernel void pad_rows(int rows, int columns,
                     global const INPUT *restrict from, // [rows][columns]
                     global INPUT *restrict to)         // [pitch(rows)][pitch(columns)]
{
    const int column = get_global_id(0) * CHUNK;
    const int row = get_global_id(1) * 4;
    if (row >= pitch(rows) || column >= pitch(columns))
        return;
    uint4 chunks[4]; // all loads first: they are in flight together
    unrolled_for (int i = 0; i < 4; i++)
        chunks[i] = chunk(from, rows, columns, row + i, column);
    unrolled_for (int i = 0; i < 4; i++)
        *(global uint4 *)(to + (row + i) * pitch(columns) + column) = chunks[i];
}

#ifdef MATRIX_UNITS // without it there is pad_rows: some compilers die of no kernel

// PTX counts local memory from 0, in 32 bits.
uint address(local const void *p)
{
    return (uint)(ulong)p;
}

// Asks for 16 bytes, or for zeros where they do not `exist`. The item goes on, and the
// bytes pass no register.
void copy16(uint to, global const void *from, bool exist)
{
    __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                     ::"r"(to), "l"(from), "r"(exist ? 16 : 0)
                     : "memory");
}

// Two neighbours of C.
void store_pair(global float *C, int M, int N, int row, int column, float x, float y)
{
    global float *to = C + row * N + column;
    if (row < M && column + 1 < N && N % 2 == 0)
        *(global float2 *)to = (float2)(x, y);
    else if (row < M && column < N) {
        to[0] = x;
        if (column + 1 < N)
            to[1] = y;
    }
}

// Which tile of C this group computes, (column, row): groups that run together walk a
// band of BAND rows of tiles, as in lesson 10, so that a cache serves most of what they
// read.
#define BAND 8

int2 tile_of(int group, int columns, int rows)
{
    const int first = group / (BAND * columns) * BAND;
    const int high = min(BAND, rows - first); // the last band may be lower
    const int within = group - first * columns;
    return (int2)(within / high, first + within % high);
}

// -------------------------------------------------------------------------------------
// 1. mma.sync: the 32 items of a warp multiply a 16 x 16 piece of A with a 16 x 8 piece
// of B, in one instruction. No item has a row or a column of its own: each holds parts
// of all three pieces, its fragments. Item 4 g + t has of C
//
//     row g:      columns 2 t, 2 t + 1        row g + 8: columns 2 t, 2 t + 1
//
// and ldmatrix brings A and B from local memory in just that order: items 0 to 31 give
// the addresses of the 32 rows of four 8 x 8 pieces. Of B, whose rows are k, it
// transposes them.
//
// Local memory. A row's 16-byte chunks are stored in another order in each row
// (swizzled), so that eight neighbouring rows of one column of chunks lie in different
// banks.

#define TM 128 // tile of C
#define TN 256
#define TK (64 / SIZE) // depth of the tiles of A and B: a row of A's has 64 bytes
#define WX 4 // warps side by side, each with 64 x 64 elements of C
#define WY 2
#define ITEMS (32 * WX * WY)
#define MI 4 // pieces of 16 rows of a warp
#define NI 8 // pieces of 8 columns
#if TM != 16 * MI * WY || TN != 8 * NI * WX
#error "the warps must cover the tile: TM is 16*MI*WY, and TN is 8*NI*WX"
#endif
#ifndef STAGES
#define STAGES 4 // pairs of tiles: one is read, the others are on their way
#endif
#if STAGES < 2
#error "STAGES must be at least 2: one pair is read while another is filled"
#endif
#ifndef ALIGNED
#define ALIGNED 128 // a tile begins at the first bank, as a_at and b_at take it
#endif

// Byte of a chunk in a tile.
uint a_at(int row, int chunk)
{
    return row * 64 + (chunk ^ row / 2 % 4) * 16;
}

uint b_at(int k, int chunk)
{
#if TF32 // read by 4 rows of 8 floats: they must differ in pairs of chunks
    return k * (TN * SIZE) + (chunk ^ k % 4 * 2) * 16;
#else
    return k * (TN * SIZE) + (chunk ^ k % 8) * 16;
#endif
}

// This item's share of a pair of tiles, whose first elements A and B point to. `rows`,
// `columns` and `depth` say how many exist from there on; where `all` do, nobody asks.
void copy_tiles(uint a_tile, uint b_tile, global const INPUT *A, global const INPUT *B,
                int N, int K, int rows, int columns, int depth, bool all, int item)
{
    const int a_row = item / 4, a_chunk = item % 4;
    unrolled_for (int q = 0; q < TM * 4; q += ITEMS) {
        const int row = a_row + q / 4;
        copy16(a_tile + a_at(row, a_chunk), A + row * pitch(K) + a_chunk * CHUNK,
               all || (row < rows && a_chunk * CHUNK < depth));
    }
    const int b_k = item / (TN / CHUNK), b_chunk = item % (TN / CHUNK);
    unrolled_for (int q = 0; q < TK * (TN / CHUNK); q += ITEMS) {
        const int k = b_k + q / (TN / CHUNK);
        copy16(b_tile + b_at(k, b_chunk), B + k * pitch(N) + b_chunk * CHUNK,
               all || (k < depth && b_chunk * CHUNK < columns));
    }
}

// Asks for the pair of tiles from k0 on.
void ask(uint a_tile, uint b_tile, global const INPUT *A, global const INPUT *B,
         int M, int N, int K, int row0, int column0, int k0, int item)
{
    const int rows = M - row0, columns = N - column0, depth = K - k0;
    A += row0 * pitch(K) + k0;
    B += k0 * pitch(N) + column0;
    if (rows >= TM && columns >= TN && depth >= TK)
        copy_tiles(a_tile, b_tile, A, B, N, K, rows, columns, depth, true, item);
    else if (depth > 0)
        copy_tiles(a_tile, b_tile, A, B, N, K, rows, columns, depth, false, item);
    __asm__ volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until all that this item asked for has come, but for the last STAGES - 2 pairs.
void await_oldest(void)
{
    __asm__ volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    barrier(CLK_LOCAL_MEM_FENCE); // what the others asked for, too
}

#define LDMATRIX(how, to, from)                                                   \
    __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4" how                          \
                     ".shared.b16 {%0, %1, %2, %3}, [%4];"                        \
                     : "=r"((to)[0]), "=r"((to)[1]), "=r"((to)[2]), "=r"((to)[3]) \
                     : "r"(from)                                                  \
                     : "memory")

// A warp's fragments for one step of 32 bytes of k.
void take(uint a[MI][4], uint b[NI][2], uint a_tile, uint b_tile, int step, int lane,
          int warp_row, int warp_column)
{
    unrolled_for (int i = 0; i < MI; i++)
        LDMATRIX("", a[i],
                 a_tile + a_at(warp_row + i * 16 + lane % 16, step * 2 + lane / 16));
#if TF32 // ldmatrix transposes 16-bit elements alone
    unrolled_for (int j = 0; j < NI; j++)
        unrolled_for (int h = 0; h < 2; h++) {
            const int k = step * 8 + h * 4 + lane % 4;
            const int column = warp_column + j * 8 + lane / 4;
            __asm__ volatile("ld.shared.b32 %0, [%1];"
                             : "=r"(b[j][h])
                             : "r"(b_tile + b_at(k, column / 4) + column % 4 * 4)
                             : "memory");
        }
#else
    unrolled_for (int j = 0; j < NI; j += 2) {
        uint two[4];
        LDMATRIX(".trans", two,
                 b_tile + b_at(step * 16 + lane % 16,
                               (warp_column + j * 8) / 8 + lane / 16));
        b[j][0] = two[0], b[j][1] = two[1], b[j + 1][0] = two[2], b[j + 1][1] = two[3];
    }
#endif
}

#if TF32
#define MMA "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"
#elif BF16
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
#else
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
#endif

void multiply(float sum[MI][NI][4], const uint a[MI][4], const uint b[NI][2])
{
    unrolled_for (int i = 0; i < MI; i++)
        unrolled_for (int j = 0; j < NI; j++)
            __asm__(MMA " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                        "{%0, %1, %2, %3};"
                    : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]),
                      "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
                    : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]),
                      "r"(b[j][0]), "r"(b[j][1]));
}

// Group of 32 WX x WY items. M, N and K are anything; rows begin at multiples of 16
// bytes.
__attribute__((reqd_work_group_size(32 * WX, WY, 1)))
kernel void matmul_mma(int M, int N, int K,
                       global const INPUT *restrict A, // [M][pitch(K)]
                       global const INPUT *restrict B, // [K][pitch(N)]
                       global float *restrict C)       // [M][N]
{
    local uint4 a_tile[STAGES][TM * 4] __attribute__((aligned(ALIGNED)));
    local uint4 b_tile[STAGES][TK * TN / CHUNK] __attribute__((aligned(ALIGNED)));

    const int item = get_local_id(1) * 32 * WX + get_local_id(0);
    const int lane = item % 32;
    const int warp_row = get_local_id(1) * 64;
    const int warp_column = get_local_id(0) / 32 * 64;
    const int2 tile = tile_of(get_group_id(1) * get_num_groups(0) + get_group_id(0),
                              get_num_groups(0), get_num_groups(1));
    const int row0 = tile.y * TM, column0 = tile.x * TN;

    float sum[MI][NI][4];
    uint a[2][MI][4], b[2][NI][2]; // step s uses [s % 2], and fills the other
    unrolled_for (int i = 0; i < MI; i++)
        unrolled_for (int j = 0; j < NI; j++)
            unrolled_for (int e = 0; e < 4; e++)
                sum[i][j][e] = 0;

    unrolled_for (int s = 0; s < STAGES - 1; s++)
        ask(address(a_tile[s]), address(b_tile[s]), A, B, M, N, K, row0, column0,
            s * TK, item);
    await_oldest();
    int t = 0;             // the pair that is read
    int free = STAGES - 1; // the pair that nobody reads
    take(a[0], b[0], address(a_tile[t]), address(b_tile[t]), 0, lane, warp_row,
         warp_column);
    for (int k0 = 0; k0 < K; k0 += TK) {
        ask(address(a_tile[free]), address(b_tile[free]), A, B, M, N, K, row0, column0,
            k0 + (STAGES - 1) * TK, item);
        unrolled_for (int step = 0; step < 2; step++) {
            if (step == 1) { // the last fragments of pair t are in registers
                await_oldest();
                free = t;
                t = t + 1 < STAGES ? t + 1 : 0;
            }
            take(a[1 - step], b[1 - step], address(a_tile[t]), address(b_tile[t]),
                 1 - step, lane, warp_row, warp_column);
            multiply(sum, a[step], b[step]);
        }
    }
    unrolled_for (int i = 0; i < MI; i++)
        unrolled_for (int j = 0; j < NI; j++)
            unrolled_for (int h = 0; h < 2; h++)
                store_pair(C, M, N, row0 + warp_row + i * 16 + h * 8 + lane / 4,
                           column0 + warp_column + j * 8 + lane % 4 * 2,
                           sum[i][j][2 * h], sum[i][j][2 * h + 1]);
}

// -------------------------------------------------------------------------------------
// 2. wgmma: the 128 items of four warps, a warpgroup, multiply 64 rows of A with 256
// columns of B. The unit reads both from local memory by itself, so no fragment passes
// a register, and it goes on while the warps do something else.
//
// NVIDIA's driver compiles for sm_90 and refuses this instruction, which is sm_90a's.
// So it stands behind "//sm_90a ", a comment of the assembly, which the host takes away
// in the program's PTX (for_sm_90a in main.rs). No standard says that this works.
//
// A group has three warpgroups. Warpgroup 0 fills the stages in local memory, 1 and 2
// multiply, 64 rows each. Two barriers of the copy engine (mbarrier) stand for each
// stage: `full` counts the bytes that arrive, `empty` the warps that have read them.

#ifdef HOPPER

#define WM 128 // tile of C
#ifndef WN
#define WN 256 // or 128, where larger tiles are too few for the units
#endif
#ifndef SHARES
#define SHARES 1 // of the sums of those tiles of C that are too few for all groups
#endif
#define WK (128 / SIZE) // depth: 128 bytes of k
#define A_BYTES (WM * 128)
#define STAGE_BYTES (A_BYTES + WN * 128)

// A map tells the engine how a matrix lies in memory: 128 bytes, whose layout NVIDIA
// does not document; the numbers were read off maps that CUDA made. The engine copies a
// box of it, with zeros for what does not exist, and swizzles the 16-byte chunks of
// each 128 bytes.
void map(global uint *to, ulong at, uint columns, uint rows, uint box_columns,
         uint box_rows)
{
    for (int i = 0; i < 32; i++)
        to[i] = 0;
    const uint type = SIZE == 4 ? 7 : 6; // float, half
    to[0] = (uint)at;
    to[1] = (uint)(at >> 32);
    to[2] = 1 << 4 | type << 7 | 3 << 13 | 2 << 17; // two dimensions; swizzled
    to[3] = pitch(columns) * SIZE / 16;
    to[8] = columns - 1;
    to[9] = rows - 1;
    to[13] = (box_columns - 1) << 24;
    to[14] = box_rows - 1;
    to[16] = box_columns * box_rows * SIZE;
    to[18] = 1024;
    // What was written is a map from here on, also for the engine.
    __asm__ volatile("fence.proxy.tensormap::generic.release.gpu;\n"
                     "fence.proxy.tensormap::generic.acquire.gpu [%0], 128;"
                     ::"l"(to) : "memory");
}

#if TF32
// Groups of 32 x 8 items, a square of 32 x 32 each; get_global_id(0) runs along the
// columns.
kernel void transpose_rows(int rows, int columns,
                           global const INPUT *restrict from, // [rows][columns]
                           global INPUT *restrict to) // [pitch(columns)][pitch(rows)]
{
    local float tile[32][33];
    const int x = get_local_id(0), y = get_local_id(1);
    const int column0 = get_group_id(0) * 32, row0 = get_group_id(1) * 32;
    unrolled_for (int i = y; i < 32; i += 8)
        tile[i][x] = row0 + i < rows && column0 + x < columns
                         ? from[(row0 + i) * columns + column0 + x] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    unrolled_for (int i = y; i < 32; i += 8)
        if (column0 + i < pitch(columns) && row0 + x < pitch(rows))
            to[(column0 + i) * pitch(rows) + row0 + x] = tile[x][i];
}
#endif

void prepare(uint barrier_at, int arrivals)
{
    __asm__ volatile("mbarrier.init.shared.b64 [%0], %1;"
                     ::"r"(barrier_at), "r"(arrivals) : "memory");
}

void arrive(uint barrier_at)
{
    __asm__ volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier_at)
                     : "memory");
}

// Waits until the phase of this parity, 0 or 1, is over.
void await(uint barrier_at, uint phase)
{
    __asm__ volatile("{ .reg .pred done;\n"
                     "again_%=: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
                     "@!done bra again_%=; }"
                     ::"r"(barrier_at), "r"(phase) : "memory");
}

#if ENGINE
// Asks the engine for a box, at these coordinates.
void copy_box(uint to, global const uint *map, int column, int row, uint full)
{
    __asm__ volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                     ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                     ::"r"(to), "l"(map), "r"(column), "r"(row), "r"(full) : "memory");
}

#define ARRIVALS 1
#else
#define ARRIVALS 128
#endif

// By the engine: one item asks for a whole stage. By hand: every item of the warpgroup
// asks for its chunks, and places them as the engine would.
void fill(uint stage, uint full, global const INPUT *A, global const INPUT *B,
          global const uint *maps, int M, int N, int K, int row0, int column0, int k0,
          int item)
{
#if ENGINE
    if (item != 0)
        return;
    __asm__ volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                     ::"r"(full), "r"(STAGE_BYTES) : "memory");
    copy_box(stage, maps, k0, row0, full);
#if TF32
    copy_box(stage + A_BYTES, maps + 32, k0, column0, full);
#else
    unrolled_for (int part = 0; part < WN / 64; part++)
        copy_box(stage + A_BYTES + part * WK * 128, maps + 32, column0 + part * 64, k0,
                 full);
#endif
#else
    unrolled_for (int i = item; i < WM * 8; i += 128) {
        const int row = i / 8, chunk = i % 8, k = k0 + chunk * CHUNK;
        const bool exist = row0 + row < M && k < K;
        copy16(stage + row * 128 + (chunk ^ row % 8) * 16,
               A + (exist ? (row0 + row) * pitch(K) + k : 0), exist);
    }
    unrolled_for (int i = item; i < WK * (WN / 8); i += 128) {
        const int k = i / (WN / 8), chunk = i % (WN / 8), column = column0 + chunk * 8;
        const bool exist = k0 + k < K && column < N;
        copy16(stage + A_BYTES + chunk / 8 * WK * 128 + k * 128 +
                   (chunk % 8 ^ k % 8) * 16,
               B + (exist ? (k0 + k) * pitch(N) + column : 0), exist);
    }
    __asm__ volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(full)
                     : "memory");
#endif
}

// Where a matrix lies in local memory, as wgmma reads it: its address, the bytes from
// 64 columns to the next and from 8 rows to the next, in 16 bytes, and that it is
// swizzled.
ulong descriptor(uint at, uint columns_apart, uint rows_apart)
{
    return (at & 0x3ffff) / 16 | (ulong)(columns_apart / 16) << 16
           | (ulong)(rows_apart / 16) << 32 | 1ul << 62;
}

#define SUMS_8(d, i)                                                            \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), \
        "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define SUMS_32(d, i) \
    SUMS_8(d, i), SUMS_8(d, i + 8), SUMS_8(d, i + 16), SUMS_8(d, i + 24)
#define TEN(d)                                                                    \
    "%" d "0, %" d "1, %" d "2, %" d "3, %" d "4, %" d "5, %" d "6, %" d "7, %" d \
    "8, %" d "9, "
#define SIXTY TEN("") TEN("1") TEN("2") TEN("3") TEN("4") TEN("5")
#if WN == 256
#define SUMS(d) SUMS_32(d, 0), SUMS_32(d, 32), SUMS_32(d, 64), SUMS_32(d, 96)
#define REGISTERS                                                                 \
    SIXTY TEN("6") TEN("7") TEN("8") TEN("9") TEN("10") TEN("11")                 \
    "%120, %121, %122, %123, %124, %125, %126, %127"
#define WIDTH "n256"
#else
#define SUMS(d) SUMS_32(d, 0), SUMS_32(d, 32)
#define REGISTERS SIXTY "%60, %61, %62, %63"
#define WIDTH "n128"
#endif
#if TF32
#define WGMMA                                                            \
    "//sm_90a wgmma.mma_async.sync.aligned.m64" WIDTH "k8.f32.tf32.tf32" \
    " {" REGISTERS "}, "
#define LAST ", 1, 1;\n"
#define B_STEP 2 // 32 bytes along k
#define B_AT(at) descriptor(at, 16, 1024)
#else
#define WGMMA                                                           \
    "//sm_90a wgmma.mma_async.sync.aligned.m64" WIDTH "k16.f32.f16.f16" \
    " {" REGISTERS "}, "
#define LAST ", 1, 1, 0, 1;\n" // the last 1: B's rows are k
#define B_STEP 128 // 16 rows of 128 bytes
#define B_AT(at) descriptor(at, WK * 128, 1024)
#endif

// All of a stage: four steps of 32 bytes of k. Only the first of a tile does not `add`.
// It waits for the stage before this one, not for this: until the next wait nothing may
// touch `sum`, though the compiler believes that it may.
void multiply_stage(float sum[WN / 2], uint a_at, uint b_at, int add)
{
    const ulong a = descriptor(a_at, 16, 1024), b = B_AT(b_at);
    __asm__ volatile("//sm_90a { .reg .pred add, yes; setp.ne.b32 add, %[add], 0;\n"
                     "//sm_90a setp.eq.b32 yes, 0, 0;\n"
                     "//sm_90a wgmma.fence.sync.aligned;\n"
                     WGMMA "%[a0], %[b0], add" LAST WGMMA "%[a1], %[b1], yes" LAST
                     WGMMA "%[a2], %[b2], yes" LAST WGMMA "%[a3], %[b3], yes" LAST
                     "//sm_90a wgmma.commit_group.sync.aligned;\n"
                     "//sm_90a wgmma.wait_group.sync.aligned 1; }"
                     : SUMS(sum)
                     : [add] "r"(add), [a0] "l"(a), [b0] "l"(b),
                       [a1] "l"(a + 2), [b1] "l"(b + B_STEP),
                       [a2] "l"(a + 4), [b2] "l"(b + 2 * B_STEP),
                       [a3] "l"(a + 6), [b3] "l"(b + 3 * B_STEP)
                     : "memory");
}

// What the items of a warp wrote before, each of them sees after it.
void warp_barrier(void)
{
    __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory");
}

// The first item's number, for all items of a warp.
uint of_first_lane(uint number)
{
    uint first;
    __asm__ volatile("shfl.sync.idx.b32 %0, %1, 0, 31, 0xffffffff;"
                     : "=r"(first) : "r"(number));
    return first;
}

// Writes a warp's 16 rows, whose first is `row`. Item 4 g + t has WN / 8 times the four
// sums that section 1 shows.
void store_sums(global float *C, int M, int N, const float sum[WN / 2], int row,
                int column0,
                local float *room, // [16][32], the warp's own
                int lane)
{
#if LINES
    // Through local memory, so that the warp writes whole lines of 128 bytes.
    if (N % 4 == 0) {
        unrolled_for (int part = 0; part < WN / 32; part++) {
            warp_barrier();
            unrolled_for (int j = 0; j < 4; j++)
                unrolled_for (int h = 0; h < 2; h++) {
                    const int r = h * 8 + lane / 4, c = j * 8 + lane % 4 * 2;
                    const int e = part * 16 + j * 4 + h * 2;
                    *(local float2 *)(room + r * 32 + (c ^ r % 8 * 4)) =
                        (float2)(sum[e], sum[e + 1]);
                }
            warp_barrier();
            unrolled_for (int i = 0; i < 4; i++) {
                const int r = i * 4 + lane / 8, c = lane % 8 * 4;
                const int column = column0 + part * 32 + c;
                const float4 v = *(local float4 *)(room + r * 32 + (c ^ r % 8 * 4));
                if (row + r < M && column < N)
                    *(global float4 *)(C + (row + r) * N + column) = v;
            }
        }
        return;
    }
#endif
    unrolled_for (int j = 0; j < WN / 8; j++)
        unrolled_for (int h = 0; h < 2; h++)
            store_pair(C, M, N, row + h * 8 + lane / 4, column0 + j * 8 + lane % 4 * 2,
                       sum[j * 4 + h * 2], sum[j * 4 + h * 2 + 1]);
}

// What a group computes at its turn: whole tiles of C, as long as there are some for
// all groups, then a share of the sums of one that is left over.
#define SHARE_OF(turn)                                                         \
    const int late = max(turn - whole, 0);                                     \
    const int2 tile = tile_of(turn - late + late / SHARES, columns, rows);     \
    const int shares = turn < whole ? 1 : SHARES, share = late % SHARES;       \
    const int depth = (K + WK - 1) / WK;                                       \
    const int first = share * depth / shares * WK;                             \
    const int end = (share + 1) * depth / shares * WK

// Each warp leaves its share in memory. Who comes last adds all up, in the order of the
// shares; returns whether it is this one.
bool gather_shares(float sum[WN / 2],
                global float4 *left, // [SHARES][WN / 8][32], the warp's of this tile
                global uint *came,   // how many did; 0 again after the last
                int share, int lane)
{
    left += lane;
    unrolled_for (int e = 0; e < WN / 2; e += 4)
        left[(share * (WN / 2) + e) * 8] =
            (float4)(sum[e], sum[e + 1], sum[e + 2], sum[e + 3]);
    warp_barrier();
    uint before = 0;
    if (lane == 0)
        __asm__ volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                         : "=r"(before) : "l"(came), "n"(SHARES - 1) : "memory");
    before = of_first_lane(before);
    warp_barrier();
    if (before != SHARES - 1)
        return false;
    unrolled_for (int e = 0; e < WN / 2; e += 4) {
        const float4 own = (float4)(sum[e], sum[e + 1], sum[e + 2], sum[e + 3]);
        float4 all = 0;
        unrolled_for (int s = 0; s < SHARES; s++)
            all += s == share ? own : left[(s * (WN / 2) + e) * 8];
        sum[e] = all.x, sum[e + 1] = all.y, sum[e + 2] = all.z, sum[e + 3] = all.w;
    }
    return true;
}

// Groups of 384 items, as many as the device has units, take turns: each computes one
// tile of C after the other, and warpgroup 0 fills stages for the next while C is
// stored. M, N and K are anything; rows begin at multiples of 16 bytes.
__attribute__((reqd_work_group_size(384, 1, 1)))
kernel void matmul_wgmma(int M, int N, int K,
                         global const INPUT *A,  // [M][pitch(K)]
                         global const INPUT *B,  // [K][pitch(N)]; of TF32 [N][pitch(K)]
                         global float *C,        // [M][N]
                         global uint *maps,      // [groups][2][32]
                         global float4 *left,    // [groups][WM][WN / 4]
                         global uint *came)      // [groups][8], zeros before and after
{
    local uchar stages[STAGES * STAGE_BYTES] __attribute__((aligned(1024)));
    local float room[8][16 * 32]; // for each warp that stores
    local ulong barriers[2 * STAGES];

    const int item = get_local_id(0);
    const int lane = item % 32;
    const int columns = (N + WN - 1) / WN, rows = (M + WM - 1) / WM;
    const int tiles = columns * rows, groups = get_num_groups(0);
    const int whole = SHARES > 1 ? tiles / groups * groups : tiles;
    const int turns = whole + (tiles - whole) * SHARES;
    const uint full = address(barriers), empty = full + 8 * STAGES;
    // The same for all items of a warp, and the compiler is told so.
    const uint warpgroup = of_first_lane(item / 128);

    if (item == 0) {
        for (int s = 0; s < STAGES; s++) {
            prepare(full + 8 * s, ARRIVALS);
            prepare(empty + 8 * s, 8); // the warps that multiply
        }
        __asm__ volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;"
                         ::: "memory"); // for the engine to see
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (warpgroup == 0) {
        __asm__ volatile("//sm_90a setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory");
#if ENGINE
        maps += get_group_id(0) * 64;
        if (item == 0) {
            map(maps, (ulong)A, K, M, WK, WM);
#if TF32 // B is transposed: the unit reads its columns along k
            map(maps + 32, (ulong)B, K, N, WK, WN);
#else
            map(maps + 32, (ulong)B, N, K, 64, WK);
#endif
        }
#endif
        int s = 0;
        uint phase = 1; // at first all stages are empty
        for (int turn = get_group_id(0); turn < turns; turn += groups) {
            SHARE_OF(turn);
            for (int k0 = first; k0 < end; k0 += WK) {
                await(empty + 8 * s, phase);
                fill(address(stages) + s * STAGE_BYTES, full + 8 * s, A, B, maps, M, N,
                     K, tile.y * WM, tile.x * WN, k0, item);
                if (++s == STAGES)
                    s = 0, phase ^= 1;
            }
        }
        return;
    }

    __asm__ volatile("//sm_90a setmaxnreg.inc.sync.aligned.u32 232;" ::: "memory");
    float sum[WN / 2]; // the first product of a tile sets it
    const int warp = item / 32 - 4;
    int s = 0, before = 0;
    uint phase = 0;
    for (int turn = get_group_id(0); turn < turns; turn += groups) {
        SHARE_OF(turn);
        for (int k0 = first; k0 < end; k0 += WK) {
            await(full + 8 * s, phase);
#if !ENGINE
            // What items wrote, the unit reads.
            __asm__ volatile("fence.proxy.async;" ::: "memory");
#endif
            const uint a = address(stages) + s * STAGE_BYTES;
            multiply_stage(sum, a + (warpgroup - 1) * 64 * 128, a + A_BYTES,
                           k0 - first);
            // The stage before this one has been read: it may be filled again.
            if (k0 > first && lane == 0)
                arrive(empty + 8 * before);
            before = s;
            if (++s == STAGES)
                s = 0, phase ^= 1;
        }
        __asm__ volatile("//sm_90a wgmma.wait_group.sync.aligned 0;"
                         : SUMS(sum)::"memory");
        if (lane == 0)
            arrive(empty + 8 * before);
#if SHARES > 1
        const int leaves = late / SHARES * 8 + warp;
        if (turn >= whole && !gather_shares(sum, left + leaves * SHARES * (WN / 8) * 32,
                                            came + leaves, share, lane))
            continue;
#endif
        store_sums(C, M, N, sum, tile.y * WM + warp * 16, tile.x * WN, room[warp],
                   lane);
    }
}

#endif
#endif

// -------------------------------------------------------------------------------------
// 3. One name for all makers' units. `cl_khr_cooperative_matrix` is a draft, and this
// was written from it: no compiler that the course has met takes it, so nobody has run
// it.

#ifdef cl_khr_cooperative_matrix
#pragma OPENCL EXTENSION cl_khr_cooperative_matrix : enable

#define PIECE(use) \
    __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, 16, 16, use)))
#define BY_ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR

typedef half PIECE(CLK_COOPERATIVE_MATRIX_A) piece_of_a;
typedef half PIECE(CLK_COOPERATIVE_MATRIX_B) piece_of_b;
typedef float PIECE(CLK_COOPERATIVE_MATRIX_ACCUMULATOR) piece_of_c;

// 16 x 16 of C for each sub-group, all of whose items come to each call. Which of them
// holds which element is for the compiler. Groups in a line; M, N and K are multiples
// of 16.
kernel void matmul_cooperative(int M, int N, int K,
                               global const half *restrict A, // [M][K]
                               global const half *restrict B, // [K][N]
                               global float *restrict C)      // [M][N]
{
    const int first = get_group_id(0) * get_num_sub_groups() + get_sub_group_id();
    const int sub_groups = get_num_groups(0) * get_num_sub_groups();
    for (int tile = first; tile < M / 16 * (N / 16); tile += sub_groups) {
        const int row = tile / (N / 16) * 16, column = tile % (N / 16) * 16;
        piece_of_c sum;
        sum = coop_mat_init(0.0f);
        for (int k = 0; k < K; k += 16) {
            piece_of_a a;
            piece_of_b b;
            a = coop_mat_load(A + row * K + k, BY_ROWS, K); // rows lie K elements apart
            b = coop_mat_load(B + k * N + column, BY_ROWS, N);
            sum = coop_mat_mulAdd(a, b, sum);
        }
        coop_mat_store(C + row * N + column, sum, BY_ROWS, N);
    }
}

#endif
