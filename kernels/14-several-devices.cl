// Lesson 14: several devices, several machines. The kernels compute a block of C,
//
//     C[M][N] = A[M][K] * B[K][N]          or, where `add` is 1,  C += A * B,
//
// of any size. A is some rows of a larger matrix, B some of its columns, C where they
// cross: the host has cut them out. There are two, since a GPU and a CPU want the same
// product in different pieces (lessons 8 and 9).

#ifndef REAL // the element type
#define REAL float
#endif

// -------------------------------------------------------------------------------------
// For a GPU: lesson 8's register tile. A group of 16 x 8 items computes TM x TN
// elements of C, an item 8 x 8 of them: four columns beside each other, twice, so that
// what it reads of the tile of B are two vectors.

#define TM 64
#define TN 128
#define TK 16
#define ITEMS (16 * 8)

__attribute__((reqd_work_group_size(16, 8, 1)))
kernel void multiply_add_gpu(int M, int N, int K,
                             global const float *restrict A, // [M][K]
                             global const float *restrict B, // [K][N]
                             global float *restrict C,       // [M][N]
                             int add)
{
    local float a_tile[TK][TM + 4]; // transposed: an item's 8 rows are neighbours
    local float b_tile[TK][TN];

    const int x = get_local_id(0), y = get_local_id(1), item = 16 * y + x;
    const int row0 = TM * get_group_id(1), column0 = TN * get_group_id(0);

    float4 sum[8][2];
    for (int r = 0; r < 8; r++)
        sum[r][0] = sum[r][1] = (float4)(0);

    for (int k0 = 0; k0 < K; k0 += TK) {
        // Neighbours load neighbours. What lies outside is zero, and adds nothing.
        for (int i = item; i < TM * TK; i += ITEMS) {
            const int r = i / TK, k = i % TK;
            const bool is_inside = row0 + r < M && k0 + k < K;
            a_tile[k][r] = is_inside ? A[(size_t)(row0 + r) * K + k0 + k] : 0;
        }
        for (int i = item; i < TK * TN; i += ITEMS) {
            const int k = i / TN, c = i % TN;
            const bool is_inside = k0 + k < K && column0 + c < N;
            b_tile[k][c] = is_inside ? B[(size_t)(k0 + k) * N + column0 + c] : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < TK; k++) {
            const float4 b0 = vload4(x, b_tile[k]), b1 = vload4(16 + x, b_tile[k]);
            const float8 a = vload8(y, a_tile[k]);
            const float a_of[8] = {a.s0, a.s1, a.s2, a.s3, a.s4, a.s5, a.s6, a.s7};
            for (int r = 0; r < 8; r++) {
                sum[r][0] += a_of[r] * b0;
                sum[r][1] += a_of[r] * b1;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int r = 0; r < 8; r++) {
        const int row = row0 + 8 * y + r;
        for (int half_ = 0; half_ < 2; half_++) {
            const float4 s = sum[r][half_];
            const float lanes[4] = {s.x, s.y, s.z, s.w};
            for (int i = 0; i < 4; i++) {
                const int column = column0 + 64 * half_ + 4 * x + i;
                if (row < M && column < N) {
                    global float *c = C + (size_t)row * N + column;
                    *c = add ? *c + lanes[i] : lanes[i];
                }
            }
        }
    }
}

// -------------------------------------------------------------------------------------
// For a CPU: lesson 9's tile in vector registers, without local memory. An item
// computes ROWS x PANEL elements. The host has cut B into narrow panels, whose rows lie
// close together: that is lesson 9's packing, and costs nothing here.

#ifndef WIDTH
#define WIDTH 8 // floats of a vector register; the host asks the device
#endif
#if WIDTH == 16
#define ROWS 8 // 16 sums: AVX-512 has 32 registers, others half as many
#else
#define ROWS 4
#endif
#define GLUE(a, b) a##b
#define CAT(a, b) GLUE(a, b)
#define floatW CAT(float, WIDTH)
#define vloadW CAT(vload, WIDTH)
#define vstoreW CAT(vstore, WIDTH)
#define PANEL (2 * WIDTH)

kernel void multiply_add_cpu(int M, int N, int K,
                             global const float *restrict A, // [M][K]
                             global const float *restrict B, // [K][N]
                             global float *restrict C,       // [M][N]
                             int add)
{
    const int column0 = PANEL * get_global_id(0), row0 = ROWS * get_global_id(1);
    if (column0 >= N || row0 >= M)
        return;

    if (column0 + PANEL <= N && row0 + ROWS <= M) {
        floatW sum[ROWS][2];
        for (int r = 0; r < ROWS; r++)
            sum[r][0] = sum[r][1] = (floatW)(0);
        for (int k = 0; k < K; k++) {
            global const float *b = B + (size_t)k * N + column0;
            const floatW b0 = vloadW(0, b), b1 = vloadW(1, b);
            for (int r = 0; r < ROWS; r++) {
                const float a = A[(size_t)(row0 + r) * K + k];
                sum[r][0] += a * b0;
                sum[r][1] += a * b1;
            }
        }
        for (int r = 0; r < ROWS; r++) {
            global float *c = C + (size_t)(row0 + r) * N + column0;
            for (int v = 0; v < 2; v++)
                vstoreW(add ? vloadW(v, c) + sum[r][v] : sum[r][v], v, c);
        }
        return;
    }

    // The edges of C, row by row, so that B is read along its rows here, too.
    const int columns = min(PANEL, N - column0);
    for (int r = row0; r < min(row0 + ROWS, M); r++) {
        float sum[PANEL] = {0};
        for (int k = 0; k < K; k++) {
            const float a = A[(size_t)r * K + k];
            for (int c = 0; c < columns; c++)
                sum[c] += a * B[(size_t)k * N + column0 + c];
        }
        global float *c_row = C + (size_t)r * N + column0;
        for (int c = 0; c < columns; c++)
            c_row[c] = add ? c_row[c] + sum[c] : sum[c];
    }
}
