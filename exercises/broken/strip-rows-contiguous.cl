// Symptom: of every 32 rows only the first and the last are right. The right numbers
// are there, but in other rows.
// Run: lesson06 --only matmul_column_strip --size 37x91x53

#ifndef REAL // the element type, from --type
#define REAL float
#endif

#ifndef TS
#define TS 32
#endif
#ifndef STRIP
#define STRIP 8
#endif
#define STEP (TS / STRIP) // rows between two elements of a strip: the group's height

__attribute__((reqd_work_group_size(TS, STEP, 1)))
kernel void matmul_column_strip(int M, int N, int K,
                                global const REAL *restrict A, // [M][K]
                                global const REAL *restrict B, // [K][N]
                                global REAL *restrict C)       // [M][N]
{
    local REAL a_tile[TS][TS]; // [row][k]
    local REAL b_tile[TS][TS]; // [k][column]

    const int x = get_local_id(0);
    const int y = get_local_id(1);
    const int column = get_group_id(0) * TS + x;
    const int row0 = get_group_id(1) * TS; // the first row of the group's tile

    REAL sum[STRIP];
    for (int s = 0; s < STRIP; s++)
        sum[s] = 0;

    for (int k0 = 0; k0 < K; k0 += TS) {
        // There are fewer items than tile elements now: each one fetches STRIP
        // of either tile.
        for (int s = 0; s < STRIP; s++) {
            const int row = y + s * STEP;
            a_tile[row][x] = A[(row0 + row) * K + k0 + x];
            b_tile[row][x] = B[(k0 + row) * N + column];
        }
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are full before anybody reads them

        for (int k = 0; k < TS; k++) {
            const REAL b = b_tile[k][x]; // read once, used STRIP times: the gain here
            for (int s = 0; s < STRIP; s++)
                sum[s] += a_tile[y + s * STEP][k] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE); // all have read before the tiles are overwritten
    }

    for (int s = 0; s < STRIP; s++)
        C[(row0 + y * STRIP + s) * N + column] = sum[s];
}
