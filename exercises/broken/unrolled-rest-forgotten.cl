// Symptom: right for some configurations of the kernel and wrong for others. Those
// that are wrong at one size may be right at another.
// Run: lesson11 --only matmul_tunable_private --size 37x91x53
//
// C[M][N] = A[M][K] * B[K][N], row-major, padded: N to GROUP_X * VECTORS * LANES, M to
// GROUP_Y * ROWS, K to 1.

#ifndef REAL // the element type, from --type
#define REAL float
#endif
#define GLUE(a, b) a##b
#define CAT(a, b) GLUE(a, b)

#ifndef LANES
#define LANES 16 // elements per vector: 1, 2, 4, 8 or 16
#endif
#ifndef VECTORS
#define VECTORS 3 // vectors of C per row of an item
#endif
#ifndef ROWS
#define ROWS 8 // rows of C per item
#endif
#ifndef GROUP_X
#define GROUP_X 1 // items side by side
#endif
#ifndef GROUP_Y
#define GROUP_Y 16 // items one below the other
#endif
#ifndef UNROLL
#define UNROLL 1 // values of k for each iteration of the long loop
#endif

#if LANES == 1
#define realP REAL
#else
#define realP CAT(REAL, LANES)
#endif

__attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
kernel void matmul_tunable_private(int M, int N, int K,
                                   global const REAL *restrict A, // [M][K]
                                   global const REAL *restrict B, // [K][N]
                                   global REAL *restrict C)       // [M][N]
{
    const int vector0 = get_global_id(0) * VECTORS; // the first column, in vectors
    const int row0 = get_global_id(1) * ROWS;
    const int row_length = N / LANES;                     // of B and C, in vectors
    global const realP *B_wide = (global const realP *)B; // [K][row_length]
    global realP *C_wide = (global realP *)C;             // [M][row_length]

    realP sum[ROWS][VECTORS];
    #pragma unroll
    for (int r = 0; r < ROWS; r++)
        #pragma unroll
        for (int v = 0; v < VECTORS; v++)
            sum[r][v] = (realP)(0);

    // UNROLL values of k an iteration, written out by hand.
    for (int k0 = 0; k0 < K / UNROLL; k0++) {
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const int k = k0 * UNROLL + u;
            realP b[VECTORS];
            #pragma unroll
            for (int v = 0; v < VECTORS; v++)
                b[v] = B_wide[k * row_length + vector0 + v];
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const REAL a = A[(row0 + r) * K + k];
                #pragma unroll
                for (int v = 0; v < VECTORS; v++)
                    sum[r][v] += a * b[v];
            }
        }
    }

    #pragma unroll
    for (int r = 0; r < ROWS; r++)
        #pragma unroll
        for (int v = 0; v < VECTORS; v++)
            C_wide[(row0 + r) * row_length + vector0 + v] = sum[r][v];
}
