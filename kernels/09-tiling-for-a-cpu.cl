// Lesson 9: tiling for a CPU. Lesson 8's idea in the registers that a CPU has, and then
// what its caches need.
//
//     C[M][N] = A[M][K] * B[K][N], row-major; get_global_id(0) runs along a row of C.
//
// The arithmetic is the same in all kernels. What changes is where A and B lie.

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

// An item computes ROWS x PANEL elements of C, in registers:
//
//     |<-- b[0] -->|<-- b[1] -->|      PANEL = VECTORS * WIDTH elements of a row of B
//     | sum[0][0]  | sum[0][1]  |      times A[row0 + 0][k]
//     | sum[1][0]  | sum[1][1]  |      times A[row0 + 1][k]
//     |  ...       |  ...       |      ...
//
// 8 x 3 sums of float16, three vectors of B and one element of A: 28 of the 32 vector
// registers of AVX-512. AVX2 has 16, half as wide: 4 x 3 sums take 12 + 3 + 1.

#ifndef WIDTH
#define WIDTH 16 // elements per vector: 2, 4, 8 or 16; the host asks the device
#endif
#if WIDTH == 3
#error "WIDTH must be 2, 4, 8 or 16: a vector of 3 lies in memory like one of 4"
#endif
#ifndef VECTORS
#define VECTORS 2
#endif
#ifndef ROWS
#define ROWS 8
#endif
#define PANEL (WIDTH * VECTORS)
#define realW CAT(REAL, WIDTH)
#define vloadW CAT(vload, WIDTH)
#define vstoreW CAT(vstore, WIDTH)

void clear_tile(realW sum[ROWS][VECTORS])
{
    unrolled_for (int r = 0; r < ROWS; r++)
        unrolled_for (int v = 0; v < VECTORS; v++)
            sum[r][v] = (realW)(0);
}

// A tile's sums into C. Where the tile reaches over the edge of C they go through an
// array, since no loop can count through the lanes of a vector. Whole tiles pay one
// comparison for that.
void store_tile(realW sum[ROWS][VECTORS],
                global REAL *C, // [M][N]
                int M, int N, int row0, int column0)
{
    if (row0 + ROWS <= M && column0 + PANEL <= N) {
        unrolled_for (int r = 0; r < ROWS; r++)
            unrolled_for (int v = 0; v < VECTORS; v++)
                vstoreW(sum[r][v], v, C + (row0 + r) * N + column0);
        return;
    }
    REAL tile[ROWS][PANEL];
    unrolled_for (int r = 0; r < ROWS; r++)
        unrolled_for (int v = 0; v < VECTORS; v++)
            vstoreW(sum[r][v], v, tile[r]);
    for (int r = 0; r < ROWS && row0 + r < M; r++)
        for (int c = 0; c < PANEL && column0 + c < N; c++)
            C[(row0 + r) * N + column0 + c] = tile[r][c];
}

// What store_tile stored. Where C ends, zeros.
void load_tile(realW sum[ROWS][VECTORS],
               global const REAL *C, // [M][N]
               int M, int N, int row0, int column0)
{
    if (row0 + ROWS <= M && column0 + PANEL <= N) {
        unrolled_for (int r = 0; r < ROWS; r++)
            unrolled_for (int v = 0; v < VECTORS; v++)
                sum[r][v] = vloadW(v, C + (row0 + r) * N + column0);
        return;
    }
    REAL tile[ROWS][PANEL];
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < PANEL; c++)
            tile[r][c] =
                row0 + r < M && column0 + c < N ? C[(row0 + r) * N + column0 + c] : 0;
    unrolled_for (int r = 0; r < ROWS; r++)
        unrolled_for (int v = 0; v < VECTORS; v++)
            sum[r][v] = vloadW(v, tile[r]);
}

// -------------------------------------------------------------------------------------
// 1. The register tile without local memory.
//
// A CPU has no local memory of its own: a copy into it goes from the cache to the
// cache, and a barrier makes the driver run every item up to it before any goes on.
// What a CPU has is wide vector registers. The tile of sums is made of them; the rest
// is left to the caches.
//
// Group of 1 x GROUP items, one below the other, which share their columns of B. The
// host pads: N is a multiple of PANEL, M of GROUP * ROWS.

#ifndef GROUP
#define GROUP 16
#endif

__attribute__((reqd_work_group_size(1, GROUP, 1)))
kernel void matmul_register_tile_private(int M, int N, int K,
                                         global const REAL *restrict A, // [M][K]
                                         global const REAL *restrict B, // [K][N]
                                         global REAL *restrict C)       // [M][N]
{
    const int column0 = get_global_id(0) * PANEL;
    const int row0 = get_global_id(1) * ROWS;

    realW sum[ROWS][VECTORS];
    clear_tile(sum);

    for (int k = 0; k < K; k++) {
        realW b[VECTORS]; // the next row of B is N elements away: in another page
        unrolled_for (int v = 0; v < VECTORS; v++)
            b[v] = vloadW(v, B + k * N + column0);
        unrolled_for (int r = 0; r < ROWS; r++) {
            const REAL a = A[(row0 + r) * K + k];
            unrolled_for (int v = 0; v < VECTORS; v++)
                sum[r][v] += a * b[v];
        }
    }

    unrolled_for (int r = 0; r < ROWS; r++)
        unrolled_for (int v = 0; v < VECTORS; v++)
            vstoreW(sum[r][v], v, C + (row0 + r) * N + column0);
}

// -------------------------------------------------------------------------------------
// 2. B in panels.
//
// A panel holds PANEL columns of B, row after row: what an item reads is one
// piece of memory.
//
//     B        0 1 2 3 | 4 5 6 7        panels   0 1 2 3 8 9 a b | 4 5 6 7 c d e f
//              8 9 a b | c d e f
//
// One item moves one row of one panel. What the last panel lacks is filled with zeros.

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
        unrolled_for (int v = 0; v < VECTORS; v++)
            vstoreW(vloadW(v, from), v, to);
    else
        for (int c = 0; c < PANEL; c++)
            to[c] = column0 + c < N ? from[c] : (REAL)0;
}

__attribute__((reqd_work_group_size(1, GROUP, 1)))
kernel void matmul_packed_b(int M, int N, int K,
                            global const REAL *restrict A, // [M][K]
                            global const REAL *restrict B, // [panels][K][PANEL]
                            global REAL *restrict C)       // [M][N]
{
    const int panel = get_global_id(0);
    const int row0 = get_global_id(1) * ROWS;
    if (row0 >= M)
        return;
    // The item's panel of B: [K][VECTORS].
    global const realW *b_panel = (global const realW *)(B + panel * K * PANEL);

    // A has no row M. An item that reaches over the edge reads the last row instead,
    // once for each row that it has too many, and stores none of what comes of it.
    global const REAL *a_row[ROWS];
    unrolled_for (int r = 0; r < ROWS; r++)
        a_row[r] = A + min(row0 + r, M - 1) * K;

    realW sum[ROWS][VECTORS];
    clear_tile(sum);

    for (int k = 0; k < K; k++) {
        realW b[VECTORS];
        unrolled_for (int v = 0; v < VECTORS; v++)
            b[v] = b_panel[k * VECTORS + v];
        unrolled_for (int r = 0; r < ROWS; r++) {
            const REAL a = a_row[r][k];
            unrolled_for (int v = 0; v < VECTORS; v++)
                sum[r][v] += a * b[v];
        }
    }
    store_tile(sum, C, M, N, row0, panel * PANEL);
}

// -------------------------------------------------------------------------------------
// 3. A in panels, too.
//
// Panels of ROWS rows, column after column: the ROWS elements that an item needs for
// one k lie side by side. Packing A is a transposition of small pieces: one item moves
// PACK_K columns of a panel.

#ifndef PACK_K
#define PACK_K 16
#endif

kernel void pack_a(int M, int K,
                   global const REAL *restrict A, // [M][K]
                   global REAL *restrict panels)  // [M / ROWS, rounded up][K][ROWS]
{
    const int k0 = get_global_id(0) * PACK_K;
    const int panel = get_global_id(1);
    const int row0 = panel * ROWS;
    if (k0 >= K || row0 >= M)
        return;
    global REAL *to = panels + (panel * K + k0) * ROWS;
    global const REAL *from = A + row0 * K + k0;
    if (row0 + ROWS <= M && k0 + PACK_K <= K)
        unrolled_for (int k = 0; k < PACK_K; k++)
            unrolled_for (int r = 0; r < ROWS; r++)
                to[k * ROWS + r] = from[r * K + k];
    else
        for (int k = 0; k < PACK_K && k0 + k < K; k++)
            for (int r = 0; r < ROWS; r++)
                to[k * ROWS + r] = row0 + r < M ? from[r * K + k] : (REAL)0;
}

__attribute__((reqd_work_group_size(1, GROUP, 1)))
kernel void matmul_packed_ab(int M, int N, int K,
                             global const REAL *restrict A, // [panels][K][ROWS]
                             global const REAL *restrict B, // [panels][K][PANEL]
                             global REAL *restrict C)       // [M][N]
{
    const int panel = get_global_id(0);
    const int row0 = get_global_id(1) * ROWS;
    if (row0 >= M)
        return;
    // The item's panels: [K][ROWS] and [K][VECTORS].
    global const REAL *a_panel = A + row0 * K;
    global const realW *b_panel = (global const realW *)(B + panel * K * PANEL);

    realW sum[ROWS][VECTORS];
    clear_tile(sum);

    for (int k = 0; k < K; k++) {
        realW b[VECTORS];
        unrolled_for (int v = 0; v < VECTORS; v++)
            b[v] = b_panel[k * VECTORS + v];
        unrolled_for (int r = 0; r < ROWS; r++) {
            const REAL a = a_panel[k * ROWS + r];
            unrolled_for (int v = 0; v < VECTORS; v++)
                sum[r][v] += a * b[v];
        }
    }
    store_tile(sum, C, M, N, row0, panel * PANEL);
}

// -------------------------------------------------------------------------------------
// 4. K in blocks, and a block of C per item.
//
// An item computes TILES tiles, one below the other, so that a panel which has come
// into the cache is used TILES times. A panel is PANEL * K elements and stays there
// only while K is small; so K is taken in blocks of BLOCK_K, and the tiles wait in C
// from one block to the next.
//
// A group is one item: nothing is shared by items that the cache does not share anyway.
// How many groups there are decides how well the driver can spread them over the cores.
//
// With -D VECTORS=3 it makes 24 multiply-adds of 11 loads, not 16 of 10, and needs 28
// registers. -D UNROLL=4 takes four steps of k before it counts and looks whether it
// is at the end.

#ifndef TILES
#define TILES 64
#endif
#ifndef BLOCK_K
#define BLOCK_K 2048 // 2048 rows of 32 floats are 256 KiB
#endif
#ifndef UNROLL
#define UNROLL 1
#endif

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void matmul_blocked(int M, int N, int K,
                           global const REAL *restrict A, // [M][K]
                           global const REAL *restrict B, // [panels][K][PANEL]
                           global REAL *restrict C)       // [M][N]
{
    const int panel = get_global_id(0);
    const int block0 = get_global_id(1) * TILES * ROWS; // the block's first row
    // The item's panel of B: [K][VECTORS].
    global const realW *b_panel = (global const realW *)(B + panel * K * PANEL);

    for (int k0 = 0; k0 < K; k0 += BLOCK_K) {
        const int k1 = min(k0 + BLOCK_K, K);
        for (int row0 = block0; row0 < min(block0 + TILES * ROWS, M); row0 += ROWS) {
            global const REAL *a_row[ROWS];
            unrolled_for (int r = 0; r < ROWS; r++)
                a_row[r] = A + min(row0 + r, M - 1) * K;

            realW sum[ROWS][VECTORS];
            if (k0 > 0)
                load_tile(sum, C, M, N, row0, panel * PANEL);
            else
                clear_tile(sum);

            #pragma unroll UNROLL
            for (int k = k0; k < k1; k++) {
                realW b[VECTORS];
                unrolled_for (int v = 0; v < VECTORS; v++)
                    b[v] = b_panel[k * VECTORS + v];
                unrolled_for (int r = 0; r < ROWS; r++) {
                    const REAL a = a_row[r][k];
                    unrolled_for (int v = 0; v < VECTORS; v++)
                        sum[r][v] += a * b[v];
                }
            }
            store_tile(sum, C, M, N, row0, panel * PANEL);
        }
    }
}

// -------------------------------------------------------------------------------------
// 5. Few rows, or few columns: a product that waits for memory alone.
//
// Group of one item. M, N and K are anything; FEW is M in the first kernel and N in the
// second, but ROWS at most.
//
// With M = 1 each element of B serves one multiply-add: the roofline's other side.
// Nothing is used twice, so neither a tile nor a panel pays, and to pack B takes longer
// than the product. Memory is read once, as it lies, in runs as long as they can be.

#ifndef FEW
#define FEW ROWS // sums beside each other: rows of C here, columns in the kernel below
#endif
#if FEW > ROWS
#error "FEW must be ROWS at most: more sums have no room in the registers"
#endif
#define STRIP (2 * ROWS / FEW) // so many vectors, or rows, that the registers are full

// An item computes FEW rows of C, STRIP vectors wide.
__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void matmul_few_rows(int M, int N, int K,
                            global const REAL *restrict A, // [M][K]
                            global const REAL *restrict B, // [K][N]
                            global REAL *restrict C)       // [M][N]
{
    const int column0 = get_global_id(0) * STRIP * WIDTH;
    const int row0 = get_global_id(1) * FEW;
    const int columns = min(STRIP * WIDTH, N - column0);
    // At the edge of C the last row stands in for those behind it.
    global const REAL *a_row[FEW];
    unrolled_for (int r = 0; r < FEW; r++)
        a_row[r] = A + min(row0 + r, M - 1) * K;

    REAL sums[FEW][STRIP * WIDTH];
    if (columns == STRIP * WIDTH) {
        realW sum[FEW][STRIP];
        unrolled_for (int r = 0; r < FEW; r++)
            unrolled_for (int v = 0; v < STRIP; v++)
                sum[r][v] = (realW)(0);
        for (int k = 0; k < K; k++) {
            REAL a[FEW];
            unrolled_for (int r = 0; r < FEW; r++)
                a[r] = a_row[r][k];
            unrolled_for (int v = 0; v < STRIP; v++) {
                const realW b = vloadW(v, B + k * N + column0);
                unrolled_for (int r = 0; r < FEW; r++)
                    sum[r][v] += a[r] * b;
            }
        }
        unrolled_for (int r = 0; r < FEW; r++)
            unrolled_for (int v = 0; v < STRIP; v++)
                vstoreW(sum[r][v], v, sums[r]);
    } else { // the last strip of a row
        for (int r = 0; r < FEW; r++)
            for (int c = 0; c < columns; c++)
                sums[r][c] = 0;
        for (int k = 0; k < K; k++) {
            REAL a[FEW];
            unrolled_for (int r = 0; r < FEW; r++)
                a[r] = a_row[r][k];
            for (int c = 0; c < columns; c++) {
                const REAL b = B[k * N + column0 + c];
                unrolled_for (int r = 0; r < FEW; r++)
                    sums[r][c] += a[r] * b;
            }
        }
    }
    for (int r = 0; r < FEW && row0 + r < M; r++)
        for (int c = 0; c < columns; c++)
            C[(row0 + r) * N + column0 + c] = sums[r][c];
}

// WIDTH elements of a column of B. A B of one column is a vector in memory.
realW down(global const REAL *column, int N)
{
#if FEW == 1
    return vloadW(0, column);
#else
    REAL lanes[WIDTH];
    unrolled_for (int i = 0; i < WIDTH; i++)
        lanes[i] = column[i * N];
    return vloadW(0, lanes);
#endif
}

// An item computes STRIP rows of C, FEW elements wide. Here k runs through the lanes of
// the vectors, as it lies in A; what is left of K beside them comes one by one.
__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void matmul_few_columns(int M, int N, int K,
                               global const REAL *restrict A, // [M][K]
                               global const REAL *restrict B, // [K][N]
                               global REAL *restrict C)       // [M][N]
{
    const int column0 = get_global_id(0) * FEW;
    const int row0 = get_global_id(1) * STRIP;
    // At the edge of C the last row and column stand in for those behind them.
    global const REAL *a_row[STRIP];
    global const REAL *b_column[FEW];
    realW sum[STRIP][FEW];
    REAL rest[STRIP][FEW];
    unrolled_for (int c = 0; c < FEW; c++)
        b_column[c] = B + min(column0 + c, N - 1);
    unrolled_for (int r = 0; r < STRIP; r++) {
        a_row[r] = A + min(row0 + r, M - 1) * K;
        unrolled_for (int c = 0; c < FEW; c++) {
            sum[r][c] = (realW)(0);
            rest[r][c] = 0;
        }
    }
    const int whole = K / WIDTH * WIDTH;
    for (int k = 0; k < whole; k += WIDTH) {
        realW b[FEW];
        unrolled_for (int c = 0; c < FEW; c++)
            b[c] = down(b_column[c] + k * N, N);
        unrolled_for (int r = 0; r < STRIP; r++) {
            const realW a = vloadW(0, a_row[r] + k);
            unrolled_for (int c = 0; c < FEW; c++)
                sum[r][c] += a * b[c];
        }
    }
    for (int k = whole; k < K; k++) {
        REAL b[FEW];
        unrolled_for (int c = 0; c < FEW; c++)
            b[c] = b_column[c][k * N];
        unrolled_for (int r = 0; r < STRIP; r++) {
            const REAL a = a_row[r][k];
            unrolled_for (int c = 0; c < FEW; c++)
                rest[r][c] += a * b[c];
        }
    }
    unrolled_for (int r = 0; r < STRIP; r++)
        unrolled_for (int c = 0; c < FEW; c++) {
            REAL lanes[WIDTH];
            vstoreW(sum[r][c], 0, lanes);
            REAL total = rest[r][c];
            unrolled_for (int i = 0; i < WIDTH; i++)
                total += lanes[i];
            if (row0 + r < M && column0 + c < N)
                C[(row0 + r) * N + column0 + c] = total;
        }
}
