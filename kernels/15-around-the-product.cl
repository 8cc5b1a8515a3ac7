// Lesson 15: what stands around a product. An epilogue, many small products, weights in
// four bits, many launches, memory that both sides see.
//
//     C[M][N] = A[M][K] * B[K][N], row-major; get_global_id(0) runs along a row of C.
//
// All kernels guard: they are right for every size. Those named `strip` or `alone` are
// for a CPU.

#define unrolled_for _Pragma("unroll") for // a loop that the compiler writes out

// ---- 1. Fusion: D = residual + gelu(A * B + bias), in one kernel or in four.

#ifndef FUSED
#define FUSED 1
#endif
#ifndef UNROLLED
#define UNROLLED 1 // the loops that store the sums
#endif
#if UNROLLED
#define storing_for unrolled_for
#else
#define storing_for for
#endif

// By tanh, as in GPT-2; of a float or of 16.
#define GELU(x) \
    (0.5f * (x) * (1 + tanh(0.79788456f * ((x) + 0.044715f * (x) * (x) * (x)))))

// What becomes of a sum: with FUSED it goes on in its register, and is stored once.
#if FUSED
#define FINISH(sum, bias, residual) ((residual) + GELU((sum) + (bias)))
#else
#define FINISH(sum, bias, residual) (sum)
#endif

#define TM 64 // rows of C per group
#define TN 128 // columns of C per group
#define TK 16 // how deep the tiles are
#define RM 8 // rows of C per item
#define RN 8 // columns of C per item
#define GX (TN / RN) // items side by side
#define GY (TM / RM) // items one below the other
#define ITEMS (GX * GY)

// Lesson 8's first tile, with guards: what lies beyond A or B adds 0.
__attribute__((reqd_work_group_size(GX, GY, 1)))
kernel void product_tile(int M, int N, int K,
                         global const float *restrict A,        // [M][K]
                         global const float *restrict B,        // [K][N]
                         global const float *restrict bias,     // [N]
                         global const float *restrict residual, // [M][N]
                         global float *restrict D)              // [M][N]
{
    local float a_tile[TM][TK], b_tile[TK][TN];
    const int x = get_local_id(0), y = get_local_id(1);
    const uint item = y * GX + x;
    const int column0 = get_group_id(0) * TN, row0 = get_group_id(1) * TM;

    float sum[RM][RN] = {{0}}; // row row0 + y + r * GY, column column0 + x + c * GX
    for (int k0 = 0; k0 < K; k0 += TK) {
        for (uint i = item; i < TM * TK; i += ITEMS) {
            const int row = row0 + i / TK, k = k0 + i % TK;
            a_tile[i / TK][i % TK] = row < M && k < K ? A[row * K + k] : 0;
        }
        for (uint i = item; i < TK * TN; i += ITEMS) {
            const int k = k0 + i / TN, column = column0 + i % TN;
            b_tile[i / TN][i % TN] = k < K && column < N ? B[k * N + column] : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are there

        for (int k = 0; k < TK; k++)
            for (int r = 0; r < RM; r++)
                for (int c = 0; c < RN; c++)
                    sum[r][c] += a_tile[y + r * GY][k] * b_tile[k][x + c * GX];
        barrier(CLK_LOCAL_MEM_FENCE); // all have used them
    }

    storing_for (int r = 0; r < RM; r++)
        storing_for (int c = 0; c < RN; c++) {
            const int row = row0 + y + r * GY, column = column0 + x + c * GX;
            const int i = row * N + column;
            if (row < M && column < N)
                D[i] = FINISH(sum[r][c], bias[column], residual[i]);
        }
}

// 16 neighbours of a row of which `left` are there; zeros behind.
float16 load16(int left, global const float *row)
{
    float lane[16];
    if (left >= 16)
        return vload16(0, row);
    for (int l = 0; l < 16; l++)
        lane[l] = l < left ? row[l] : 0;
    return vload16(0, lane);
}

// For a CPU: an item has 4 rows of 16 columns. Rows beyond the last are that one again.
kernel void product_strip(int M, int N, int K,
                          global const float *restrict A,        // [M][K]
                          global const float *restrict B,        // [K][N]
                          global const float *restrict bias,     // [N]
                          global const float *restrict residual, // [M][N]
                          global float *restrict D)              // [M][N]
{
    const int column = get_global_id(0) * 16, row = get_global_id(1) * 4;
    if (row >= M || column >= N)
        return;
    float16 sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < K; k++) {
        const float16 b = load16(N - column, B + k * N + column);
        unrolled_for (int r = 0; r < 4; r++)
            sum[r] += A[min(row + r, M - 1) * K + k] * b;
    }
    const float16 bias16 = load16(N - column, bias + column);
    for (int r = 0; r < min(4, M - row); r++) {
        const int i = (row + r) * N + column;
        const float16 value = FINISH(sum[r], bias16, load16(N - column, residual + i));
        float lane[16];
        vstore16(value, 0, lane);
        for (int l = 0; l < min(16, N - column); l++)
            D[i + l] = lane[l];
    }
}

// The three launches that fusing saves: each reads what the one before has written.
kernel void add_bias(int count, int N,
                     global float *C,          // [M][N]
                     global const float *bias) // [N]
{
    const int i = get_global_id(0);
    if (i < count)
        C[i] += bias[i % N];
}

kernel void apply_gelu(int count,
                       global float *C) // [M][N]
{
    const int i = get_global_id(0);
    if (i < count)
        C[i] = GELU(C[i]);
}

kernel void add_residual(int count,
                         global const float *C,        // [M][N]
                         global const float *residual, // [M][N]
                         global float *D)              // [M][N]
{
    const int i = get_global_id(0);
    if (i < count)
        D[i] = residual[i] + C[i];
}

// ---- 2. Many small products: C[p] = A[p] * B[p], each SIDE x SIDE, one after another
// in memory.

#define SIDE 32

// A product for each group of 32 x 8 items, from number `first` on: the tiles in local
// memory, as in lesson 6.
__attribute__((reqd_work_group_size(SIDE, 8, 1)))
kernel void small_by_group(int first,
                           global const float *A, // [count][SIDE][SIDE]
                           global const float *B, // [count][SIDE][SIDE]
                           global float *C)       // [count][SIDE][SIDE]
{
    local float a[SIDE][SIDE], b[SIDE][SIDE];
    const int x = get_local_id(0), y = get_local_id(1);
    const int begin = (first + get_group_id(0)) * SIDE * SIDE;
    for (int row = y; row < SIDE; row += 8) {
        a[row][x] = A[begin + row * SIDE + x];
        b[row][x] = B[begin + row * SIDE + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE); // both matrices are there

    for (int row = y; row < SIDE; row += 8) {
        float sum = 0;
        for (int k = 0; k < SIDE; k++)
            sum += a[row][k] * b[k][x];
        C[begin + row * SIDE + x] = sum;
    }
}

// A product for each 32 neighbours, which a warp is. An item keeps its column of B in
// registers; all 32 read the same four elements of A at once. No barrier.
kernel void small_by_columns(int count,
                             global const float *A, // [count][SIDE][SIDE]
                             global const float *B, // [count][SIDE][SIDE]
                             global float *C)       // [count][SIDE][SIDE]
{
    const int x = get_local_id(0), product = get_global_id(1);
    if (product >= count)
        return;
    global const float4 *A4 = (global const float4 *)A + product * SIDE * SIDE / 4;
    B += product * SIDE * SIDE + x;
    C += product * SIDE * SIDE + x;

    float b[SIDE];
    for (int k = 0; k < SIDE; k++)
        b[k] = B[k * SIDE];
    for (int row = 0; row < SIDE; row++) {
        float sum = 0;
        for (int k = 0; k < SIDE; k += 4) {
            const float4 a = A4[(row * SIDE + k) / 4];
            sum += a.s0 * b[k] + a.s1 * b[k + 1] + a.s2 * b[k + 2] + a.s3 * b[k + 3];
        }
        C[row * SIDE] = sum;
    }
}

// For a CPU: an item has a product, a row of C in two vectors.
kernel void small_alone(int count,
                        global const float *A, // [count][SIDE][SIDE]
                        global const float *B, // [count][SIDE][SIDE]
                        global float *C)       // [count][SIDE][SIDE]
{
    const int product = get_global_id(0);
    if (product >= count)
        return;
    A += product * SIDE * SIDE;
    global const float16 *B16 = (global const float16 *)B + product * SIDE * SIDE / 16;
    global float16 *C16 = (global float16 *)C + product * SIDE * SIDE / 16;
    for (int row = 0; row < SIDE; row += 4) {
        float16 sum[4][2] = {{0}};
        for (int k = 0; k < SIDE; k++)
            unrolled_for (int r = 0; r < 4; r++)
                unrolled_for (int part = 0; part < 2; part++)
                    sum[r][part] += A[(row + r) * SIDE + k] * B16[k * 2 + part];
        for (int r = 0; r < 4; r++)
            for (int part = 0; part < 2; part++)
                C16[(row + r) * 2 + part] = sum[r][part];
    }
}

// ---- 3. Weights in four bits: 8 neighbours of a column of W in a word, a scale for
// each 128: weight = (four bits - 8) * scale. X's rows are STRIDE floats long, whole
// groups of 128, and zeros behind K; W's rows are whole vectors of 16.

#ifndef BITS
#define BITS 4
#endif
#ifndef ROWS
#define ROWS 1 // of X, for each of which an unpacked weight is used
#endif
#ifndef COLUMNS
#define COLUMNS 4 // of an item: 16 for a CPU
#endif
#ifndef LANES
#define LANES 16 // items that share the sums of a column
#endif
#define ACROSS (COLUMNS == 4 ? 32 : 1) // items side by side
#define GLUE(a, b) a##b
#define CAT(a, b) GLUE(a, b)
#define floats CAT(float, COLUMNS)
#if BITS == 4
#define KEPT uint // eight weights
#else
#define KEPT float // one
#endif
#define kept CAT(KEPT, COLUMNS)
#if COLUMNS != 4 && COLUMNS != 16
#error "COLUMNS must be 4 or 16: a weight matrix has whole vectors of 16 columns"
#endif

// Of each column and each 128 of its weights a scale, and the weights in four bits. A
// NaN or an infinite weight makes the scale so: the group's products show it. All zeros
// have scale 0.
kernel void quantise(int K, int N, int width,
                     global const float *weights, // [K][N]
                     global uint *W,              // [groups * 16][width]
                     global float *scale)         // [groups][width]
{
    const int column = get_global_id(0), group = get_global_id(1);
    if (column >= width)
        return;
    float most = 0;
    for (int k = group * 128; k < min(K, group * 128 + 128); k++) {
        const float size = column < N ? fabs(weights[k * N + column]) : 0;
        most = size <= most ? most : size; // not fmax, which drops a NaN
    }
    scale[group * width + column] = most / 7;
    for (int word = group * 16; word < group * 16 + 16; word++) {
        uint bits = 0;
        for (int j = 0; j < 8; j++) {
            const int k = word * 8 + j;
            const bool is_there = k < K && column < N && most > 0 && most < INFINITY;
            const float level = is_there ? weights[k * N + column] / (most / 7) : 0;
            bits |= (uint)(8 + clamp((int)rint(level), -7, 7)) << 4 * j;
        }
        W[word * width + column] = bits;
    }
}

// Y = X * W, for a few rows. Each weight is unpacked in a register, and used ROWS
// times.
__attribute__((reqd_work_group_size(ACROSS, LANES, 1)))
kernel void few_rows(int M, int N, int stride, int width,
                     global const float *X,     // [M][stride]
                     global const KEPT *W,      // [stride / 8 or stride][width]
                     global const float *scale, // [stride / 128][width]
                     global float *Y)           // [M][N]
{
    local floats tile[LANES][ACROSS];
    const int across = get_local_id(0), lane = get_local_id(1);
    const int vector = min((int)get_global_id(0), width / COLUMNS - 1);
    const int row0 = get_group_id(1) * ROWS, line = width / COLUMNS;

    floats sum[ROWS];
    for (int r = 0; r < ROWS; r++)
        sum[r] = 0;
    for (int eight = lane; eight < stride / 8; eight += LANES) {
#if BITS == 4
        const kept packed = ((global const kept *)W)[eight * line + vector];
        const floats by = ((global const floats *)scale)[eight / 16 * line + vector];
#endif
        unrolled_for (int j = 0; j < 8; j++) {
#if BITS == 4
            // 2^23 + n has n in its last bits, so no conversion is needed.
            const kept bits = packed >> 4 * j & 15 | 0x4b000000;
            const floats w = (CAT(as_, floats)(bits) - 8388616.0f) * by;
#else
            const floats w = ((global const kept *)W)[(8 * eight + j) * line + vector];
#endif
            unrolled_for (int r = 0; r < ROWS; r++)
                sum[r] += w * X[min(row0 + r, M - 1) * stride + 8 * eight + j];
        }
    }

    for (int r = 0; r < ROWS; r++) {
        tile[lane][across] = sum[r];
        barrier(CLK_LOCAL_MEM_FENCE); // all lanes have brought theirs
        for (int l = 1; lane == 0 && l < LANES; l++)
            sum[r] += tile[l][across];
        barrier(CLK_LOCAL_MEM_FENCE); // they have been read
        float of[16];
        CAT(vstore, COLUMNS)(sum[r], 0, of);
        const int column = get_global_id(0) * COLUMNS;
        for (int c = 0; lane == 0 && row0 + r < M && c < min(COLUMNS, N - column); c++)
            Y[(row0 + r) * N + column + c] = of[c];
    }
}

// ---- 4. Many launches: the sums of WINDOW neighbours, round the end of a slice,
// which has at least so many.

#define WINDOW 8

void sum_window(int n, int i, global const float *x, global float *y)
{
    float sum = 0;
    for (int w = 0; w < WINDOW; w++)
        sum += x[i + w < n ? i + w : i + w - n];
    y[i] = sum;
}

// From slice `first` on: one slice a launch, or all in one, as one more dimension.
kernel void windows(int first, int n,
                    global const float *x, // [slices][n]
                    global float *y)       // [slices][n]
{
    const int i = get_global_id(0), slice = first + get_global_id(1);
    if (i < n)
        sum_window(n, i, x + slice * n, y + slice * n);
}

// Persistent groups, where they are not alike: as many as the device runs at once. Each
// takes the next slice that nobody has taken. None waits for another.
kernel void windows_queue(int n, int slices,
                          global const float *x, // [slices][n]
                          global float *y,       // [slices][n]
                          global int *next)      // [1], which comes as 0
{
    local int mine;
    for (;;) {
        if (get_local_id(0) == 0)
            mine = atomic_inc(next);
        barrier(CLK_LOCAL_MEM_FENCE); // all see which slice is theirs
        const int slice = mine;
        barrier(CLK_LOCAL_MEM_FENCE); // all have read it: the next may be taken
        if (slice >= slices)
            return;
        for (int i = get_local_id(0); i < n; i += get_local_size(0))
            sum_window(n, i, x + slice * n, y + slice * n);
    }
}
