// Symptom: right on PoCL, at every size. On a GPU most elements are wrong.
// Run: lesson06 --only matmul_tiled --size 37x91x53
//
// C[M][N] = A[M][K] * B[K][N], row-major.

#ifndef REAL // the element type, from --type
#define REAL float
#endif

// Side of a square tile; a work-group is one tile of items.
#ifndef TS
#define TS 16
#endif

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

        for (int k = 0; k < TS; k++)
            sum += a_tile[y][k] * b_tile[k][x];
        barrier(CLK_LOCAL_MEM_FENCE); // nobody needs them any longer
    }
    if (row < M && column < N)
        C[row * N + column] = sum;
}
