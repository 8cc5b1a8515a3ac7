// Lesson 7: vector types, float4 and its relatives: one value, several lanes.
//
// C[M][N] = A[M][K] * B[K][N], row-major. The lanes of a vector are neighbouring
// columns of C in the first two kernels, and neighbouring terms of one sum in the last
// three.

#ifndef REAL // the element type, from --type
#define REAL float
#endif

// REAL4 is float4 when REAL is float. Two macros, because ## does not expand
// its operands; the outer one does.
#define JOIN_(type, width) type##width
#define JOIN(type, width) JOIN_(type, width)
#define REAL4 JOIN(REAL, 4)
#define REAL8 JOIN(REAL, 8)

#ifndef WIDTH
#define WIDTH 4 // lanes of a vector in matmul_vload
#endif
#define REALW JOIN(REAL, WIDTH)    // float4
#define VLOAD JOIN(vload, WIDTH)   // vload4
#define VSTORE JOIN(vstore, WIDTH) // vstore4

// Lanes are columns. An item computes WIDTH neighbouring elements of a row of C, one
// per lane. One element of A meets a vector of B, and no lane needs another lane's.
//
// vloadn and vstoren take any address of an element. A pointer cast to float4 * would
// promise a multiple of 16 bytes, and row * N seldom is one. The last columns of a row,
// where a whole vector does not fit, are computed one by one.
kernel void matmul_vload(int M, int N, int K,
                         global const REAL *A, // [M][K]
                         global const REAL *B, // [K][N]
                         global REAL *C)       // [M][N]
{
    const int column = get_global_id(0) * WIDTH;
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    if (column + WIDTH <= N) {
        REALW sum = 0;
        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * VLOAD(0, B + k * N + column);
        VSTORE(sum, 0, C + row * N + column);
    } else {
        for (int c = column; c < N; c++) {
            REAL sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[row * K + k] * B[k * N + c];
            C[row * N + c] = sum;
        }
    }
}

#ifndef TS
#define TS 32 // side of a tile of matmul_tiled_vector
#endif
#if TS % 4
#error "TS must be a multiple of 4: a row of a tile is whole vectors"
#endif

// Vectors in the tile of lesson 6. An item computes four neighbouring elements of a
// row of C, so a group of TS / 4 x TS items covers a tile of TS x TS. Every load, from
// global memory and from the tile, brings four elements: five loads for sixteen
// multiply-adds, where lesson 6's kernel makes thirty-two.
//
// A pointer to REAL4 promises an aligned address. The host keeps the promise: it pads
// A and B with zeros until M, N and K are multiples of TS.
__attribute__((reqd_work_group_size(TS / 4, TS, 1)))
kernel void matmul_tiled_vector(int M, int N, int K,
                                global const REAL *A, // [M][K]
                                global const REAL *B, // [K][N]
                                global REAL *C)       // [M][N]
{
    global const REAL4 *A4 = (global const REAL4 *)A; // [M][K / 4]
    global const REAL4 *B4 = (global const REAL4 *)B; // [K][N / 4]
    global REAL4 *C4 = (global REAL4 *)C;             // [M][N / 4]

    const int x = get_local_id(0), vector = get_global_id(0);
    const int y = get_local_id(1), row = get_global_id(1);

    local REAL4 a_tile[TS][TS / 4]; // [row][k / 4]
    local REAL4 b_tile[TS][TS / 4]; // [k][column / 4]

    REAL4 sum = 0;
    for (int k0 = 0; k0 < K; k0 += TS) {
        a_tile[y][x] = A4[row * (K / 4) + k0 / 4 + x];
        b_tile[y][x] = B4[(k0 + y) * (N / 4) + vector];
        barrier(CLK_LOCAL_MEM_FENCE); // both tiles are there

        for (int k = 0; k < TS; k += 4) {
            const REAL4 a = a_tile[y][k / 4];
            sum += a.s0 * b_tile[k + 0][x];
            sum += a.s1 * b_tile[k + 1][x];
            sum += a.s2 * b_tile[k + 2][x];
            sum += a.s3 * b_tile[k + 3][x];
        }
        barrier(CLK_LOCAL_MEM_FENCE); // nobody needs them any longer
    }
    C4[row * (N / 4) + vector] = sum;
}

// Lanes are terms of a sum: dot(). These three continue matmul_column_local of lesson
// 6: one item computes a row of C, its row of A is private, the column of B is shared
// by the group in local memory.
//
// Where K ends inside a vector, zeros fill the vector up: they add nothing to a sum,
// and so K need not be a multiple of 4 or 8.
#ifndef PIECE
#define PIECE 1024 // elements of a row of A, or a column of B, that are kept at a time
#endif
#if PIECE % 8
#error "PIECE must be a multiple of 8: what is kept is whole vectors"
#endif

#ifndef REAL_IS_INT // dot() exists for floating types only

// Vectors of 4, put together from scalars for every dot product.
kernel void matmul_dot4_from_scalars(int M, int N, int K,
                                     global const REAL *A, // [M][K]
                                     global const REAL *B, // [K][N]
                                     global REAL *C)       // [M][N]
{
    const int row = get_global_id(0);
    const int me = get_local_id(0);
    const int group = get_local_size(0);

    REAL a[PIECE];       // A[row][k0 ...], zeros behind
    local REAL b[PIECE]; // B[k0 ...][column], zeros behind

    for (int k0 = 0; k0 < K; k0 += PIECE) {
        const int length = min(PIECE, K - k0);
        const int vectors = (length + 3) / 4;
        for (int k = 0; k < 4 * vectors; k++)
            a[k] = row < M && k < length ? A[row * K + k0 + k] : (REAL)0;

        for (int column = 0; column < N; column++) {
            for (int k = me; k < 4 * vectors; k += group)
                b[k] = k < length ? B[(k0 + k) * N + column] : (REAL)0;
            barrier(CLK_LOCAL_MEM_FENCE);

            if (row < M) {
                REAL sum = k0 == 0 ? (REAL)0 : C[row * N + column];
                for (int k = 0; k < 4 * vectors; k += 4)
                    sum += dot((REAL4)(a[k], a[k + 1], a[k + 2], a[k + 3]),
                               (REAL4)(b[k], b[k + 1], b[k + 2], b[k + 3]));
                C[row * N + column] = sum;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}

// The private row is an array of vectors from the start, and the column is read
// as vectors: nothing is put together in the inner loop.
kernel void matmul_dot4(int M, int N, int K,
                        global const REAL *A, // [M][K]
                        global const REAL *B, // [K][N]
                        global REAL *C)       // [M][N]
{
    const int row = get_global_id(0);
    const int me = get_local_id(0);
    const int group = get_local_size(0);

    REAL4 a[PIECE / 4];  // A[row][k0 ...], four by four
    local REAL b[PIECE]; // B[k0 ...][column]

    for (int k0 = 0; k0 < K; k0 += PIECE) {
        const int length = min(PIECE, K - k0);
        const int vectors = (length + 3) / 4;
        for (int v = 0; v < vectors; v++) {
            REAL four[4];
            for (int lane = 0; lane < 4; lane++) {
                const int k = 4 * v + lane;
                four[lane] = row < M && k < length ? A[row * K + k0 + k] : (REAL)0;
            }
            a[v] = vload4(0, four);
        }

        for (int column = 0; column < N; column++) {
            for (int k = me; k < 4 * vectors; k += group)
                b[k] = k < length ? B[(k0 + k) * N + column] : (REAL)0;
            barrier(CLK_LOCAL_MEM_FENCE);

            if (row < M) {
                REAL sum = k0 == 0 ? (REAL)0 : C[row * N + column];
                for (int v = 0; v < vectors; v++)
                    sum += dot(a[v], vload4(v, b));
                C[row * N + column] = sum;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}

#endif // REAL_IS_INT

// dot() ends at four lanes. For eight, multiply lane by lane and fold the
// product in half three times.
REAL dot8(REAL8 x, REAL8 y)
{
    const REAL8 product = x * y;
    const REAL4 four = product.lo + product.hi;
    return (four.x + four.z) + (four.y + four.w);
}

// As matmul_dot4, with vectors of 8.
kernel void matmul_dot8(int M, int N, int K,
                        global const REAL *A, // [M][K]
                        global const REAL *B, // [K][N]
                        global REAL *C)       // [M][N]
{
    const int row = get_global_id(0);
    const int me = get_local_id(0);
    const int group = get_local_size(0);

    REAL8 a[PIECE / 8];  // A[row][k0 ...], eight by eight
    local REAL b[PIECE]; // B[k0 ...][column]

    for (int k0 = 0; k0 < K; k0 += PIECE) {
        const int length = min(PIECE, K - k0);
        const int vectors = (length + 7) / 8;
        for (int v = 0; v < vectors; v++) {
            REAL eight[8];
            for (int lane = 0; lane < 8; lane++) {
                const int k = 8 * v + lane;
                eight[lane] = row < M && k < length ? A[row * K + k0 + k] : (REAL)0;
            }
            a[v] = vload8(0, eight);
        }

        for (int column = 0; column < N; column++) {
            for (int k = me; k < 8 * vectors; k += group)
                b[k] = k < length ? B[(k0 + k) * N + column] : (REAL)0;
            barrier(CLK_LOCAL_MEM_FENCE);

            if (row < M) {
                REAL sum = k0 == 0 ? (REAL)0 : C[row * N + column];
                for (int v = 0; v < vectors; v++)
                    sum += dot8(a[v], vload8(v, b));
                C[row * N + column] = sum;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}
