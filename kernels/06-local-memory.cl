// Lesson 6: local memory, shared by the items of one work-group.
//
// C[M][N] = A[M][K] * B[K][N], row-major, except where a name says otherwise.

#ifndef REAL // the element type, from --type
#define REAL float
#endif

// Side of a square tile; a work-group of matmul_tiled is one tile of items.
#ifndef TS
#define TS 16
#endif

// Sums of one item in matmul_column_strip, and the rows between two of them: the
// group's height.
#ifndef STRIP
#define STRIP 8
#endif
#define STEP (TS / STRIP)
#if TS % STRIP
#error "STRIP must divide TS: each item of matmul_column_strip has STRIP sums"
#endif

// Elements of a row of A, or a column of B, that matmul_column_local keeps at a time.
#ifndef PIECE
#define PIECE 1024
#endif

// Tiles. A group computes a TS x TS tile of C. It walks along k in steps of TS:
// each item copies one element of A and one of B, then reads TS of each from
// local memory. Global memory is read TS times less often than by the naive kernel.
//
// Where a tile reaches over the edge of A or B it is filled with zeros, which
// add nothing: so any M, N and K come out right.
__attribute__((reqd_work_group_size(TS, TS, 1)))
kernel void matmul_tiled(int M, int N, int K,
                         global const REAL *A, // [M][K]
                         global const REAL *B, // [K][N]
                         global REAL *C)       // [M][N]
{
    const int x = get_local_id(0), column = get_global_id(0);
    const int y = get_local_id(1), row = get_global_id(1);

    local REAL a_tile[TS][TS]; // A[row ...][k0 ...]
    local REAL b_tile[TS][TS]; // B[k0 ...][column ...]

    REAL sum = 0;
    for (int k0 = 0; k0 < K; k0 += TS) {
        a_tile[y][x] = row < M && k0 + x < K ? A[row * K + k0 + x] : (REAL)0;
        b_tile[y][x] = k0 + y < K && column < N ? B[(k0 + y) * N + column] : (REAL)0;
        barrier(CLK_LOCAL_MEM_FENCE); // both tiles are there

        for (int k = 0; k < TS; k++)
            sum += a_tile[y][k] * b_tile[k][x];
        barrier(CLK_LOCAL_MEM_FENCE); // nobody needs them any longer
    }
    if (row < M && column < N)
        C[row * N + column] = sum;
}

// The same for column-major matrices: element (row, column) of a matrix with
// `rows` rows is element column * rows + row in memory. Dimension 0 counts rows now,
// since the elements of a column are neighbours; tiles are indexed [column][row].
#define AT(row, column, rows) ((column) * (rows) + (row))

__attribute__((reqd_work_group_size(TS, TS, 1)))
kernel void matmul_tiled_column_major(int M, int N, int K,
                                      global const REAL *A, // [K][M], column by column
                                      global const REAL *B, // [N][K], column by column
                                      global REAL *C)       // [N][M], column by column
{
    const int x = get_local_id(0), row = get_global_id(0);
    const int y = get_local_id(1), column = get_global_id(1);

    local REAL a_tile[TS][TS]; // [k - k0][row - first row]
    local REAL b_tile[TS][TS]; // [column - first column][k - k0]

    REAL sum = 0;
    for (int k0 = 0; k0 < K; k0 += TS) {
        a_tile[y][x] = row < M && k0 + y < K ? A[AT(row, k0 + y, M)] : (REAL)0;
        b_tile[y][x] = k0 + x < K && column < N ? B[AT(k0 + x, column, K)] : (REAL)0;
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < TS; k++)
            sum += a_tile[k][x] * b_tile[y][k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < M && column < N)
        C[AT(row, column, M)] = sum;
}

// Lesson 5's idea in this lesson's tile: STRIP sums per item, elements of one column
// that lie STEP rows apart. An element of B is read from the tile once and used STRIP
// times.
//
// A group has TS x TS / STRIP items. With TS = 8 and STRIP = 4, the letters say which
// item of the group owns which element of its TS x TS tile of C:
//
//     a b c d e f g h     <- y = 0
//     i j k l m n o p     <- y = 1
//     a b c d e f g h
//     i j k l m n o p     ... and so on, to TS rows
//
// No bound is checked. The host pads A and B with zeros until M, N and K are multiples
// of TS; zeros add nothing to a sum.
__attribute__((reqd_work_group_size(TS, STEP, 1)))
kernel void matmul_column_strip(int M, int N, int K,
                                global const REAL *A, // [M][K]
                                global const REAL *B, // [K][N]
                                global REAL *C)       // [M][N]
{
    const int x = get_local_id(0), column = get_global_id(0);
    const int y = get_local_id(1);
    const int row0 = get_group_id(1) * TS; // the first row of the group's tile

    local REAL a_tile[TS][TS]; // [row][k]
    local REAL b_tile[TS][TS]; // [k][column]

    REAL sum[STRIP]; // sum[s] belongs to row row0 + y + s * STEP
    for (int s = 0; s < STRIP; s++)
        sum[s] = 0;

    for (int k0 = 0; k0 < K; k0 += TS) {
        // There are fewer items than elements of a tile: each copies STRIP of either.
        for (int s = 0; s < STRIP; s++) {
            const int i = y + s * STEP;
            a_tile[i][x] = A[(row0 + i) * K + k0 + x];
            b_tile[i][x] = B[(k0 + i) * N + column];
        }
        barrier(CLK_LOCAL_MEM_FENCE); // both tiles are there

        for (int k = 0; k < TS; k++) {
            const REAL b = b_tile[k][x];
            for (int s = 0; s < STRIP; s++)
                sum[s] += a_tile[y + s * STEP][k] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE); // nobody needs them any longer
    }

    for (int s = 0; s < STRIP; s++)
        C[(row0 + y + s * STEP) * N + column] = sum[s];
}

// One item computes a row of C and keeps its row of A private, as in lesson 5.
// All items of the group need the same column of B at the same time, so they
// fetch it together, once, into local memory.
//
// Two barriers for each column. Without the second one a fast item overwrites the
// column while a slow one still reads it. Items beyond the last row compute nothing,
// but they help to copy, and they must reach every barrier.
kernel void matmul_column_local(int M, int N, int K,
                                global const REAL *A, // [M][K]
                                global const REAL *B, // [K][N]
                                global REAL *C)       // [M][N]
{
    const int row = get_global_id(0);
    const int me = get_local_id(0);
    const int group = get_local_size(0);

    REAL a[PIECE];       // A[row][k0 .. k0+length-1], mine
    local REAL b[PIECE]; // B[k0 .. k0+length-1][column], ours

    for (int k0 = 0; k0 < K; k0 += PIECE) {
        const int length = min(PIECE, K - k0);
        if (row < M)
            for (int k = 0; k < length; k++)
                a[k] = A[row * K + k0 + k];

        for (int column = 0; column < N; column++) {
            for (int k = me; k < length; k += group)
                b[k] = B[(k0 + k) * N + column];
            barrier(CLK_LOCAL_MEM_FENCE); // all of b is there

            if (row < M) {
                REAL sum = k0 == 0 ? (REAL)0 : C[row * N + column];
                for (int k = 0; k < length; k++)
                    sum += a[k] * b[k];
                C[row * N + column] = sum;
            }
            barrier(CLK_LOCAL_MEM_FENCE); // nobody needs b any longer
        }
    }
}

// Bank conflicts, shown by a transposition: out[columns][rows] = in[rows][columns].
// A group of SIDE x STRIPE items moves a tile of SIDE x SIDE, STRIPE rows at a time.
// A row of the tile has PAD elements more than it needs.
#define SIDE 32
#define STRIPE 8
#if SIDE % STRIPE
#error "STRIPE must divide SIDE: a tile is moved in whole stripes"
#endif
#ifndef PAD
#define PAD 0
#endif

// Straight from global to global: the reads are coalesced, the writes are a
// column, `rows` elements apart.
__attribute__((reqd_work_group_size(SIDE, STRIPE, 1)))
kernel void transpose_naive(int rows, int columns,
                            global const float *in, // [rows][columns]
                            global float *out)      // [columns][rows]
{
    const int column = get_global_id(0);
    const int row = get_group_id(1) * SIDE + get_local_id(1);
    for (int y = 0; y < SIDE; y += STRIPE)
        if (row + y < rows && column < columns)
            out[column * rows + row + y] = in[(row + y) * columns + column];
}

// Through a tile in local memory: global memory is read along rows of `in` and
// written along rows of `out`, both coalesced.
//
// The second loop reads the tile down a column. With PAD 0, 32 neighbouring
// items then ask for words 32 apart: all in one of 32 banks, one after the other.
// With PAD 1 a row is one element longer, the words are 33 apart, and each lies in a
// bank of its own.
__attribute__((reqd_work_group_size(SIDE, STRIPE, 1)))
kernel void transpose_tile(int rows, int columns,
                           global const float *in, // [rows][columns]
                           global float *out)      // [columns][rows]
{
    local float tile[SIDE][SIDE + PAD]; // [row][column] of `in`
    const int x = get_local_id(0);
    const int first_column = get_group_id(0) * SIDE;
    const int first_row = get_group_id(1) * SIDE;

    for (int y = get_local_id(1); y < SIDE; y += STRIPE)
        if (first_row + y < rows && first_column + x < columns)
            tile[y][x] = in[(first_row + y) * columns + first_column + x];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int y = get_local_id(1); y < SIDE; y += STRIPE)
        if (first_column + y < columns && first_row + x < rows)
            out[(first_column + y) * rows + first_row + x] = tile[x][y];
}

// How the tiles of matmul_tiled fill, told by the items themselves. Small on
// purpose: TRACE x TRACE tiles, and only the first group speaks.
#define TRACE 2

__attribute__((reqd_work_group_size(TRACE, TRACE, 1)))
kernel void trace_tiles(int M, int N, int K,
                        global const float *A, // [M][K]
                        global const float *B, // [K][N]
                        global float *C)       // [M][N]
{
    const int x = get_local_id(0), column = get_global_id(0);
    const int y = get_local_id(1), row = get_global_id(1);
    const int speaks = get_group_id(0) == 0 && get_group_id(1) == 0;

    local float a_tile[TRACE][TRACE];
    local float b_tile[TRACE][TRACE];

    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += TRACE) {
        a_tile[y][x] = row < M && k0 + x < K ? A[row * K + k0 + x] : 0.0f;
        b_tile[y][x] = k0 + y < K && column < N ? B[(k0 + y) * N + column] : 0.0f;
        if (speaks)
            printf("k0 = %d: item (%d,%d) copies A[%d][%d] = %g and B[%d][%d] = %g\n",
                   k0, x, y, row, k0 + x, a_tile[y][x], k0 + y, column, b_tile[y][x]);
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < TRACE; k++)
            sum += a_tile[y][k] * b_tile[k][x];
        if (speaks)
            printf("k0 = %d: item (%d,%d) now has the sum %g\n", k0, x, y, sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < M && column < N)
        C[row * N + column] = sum;
}
