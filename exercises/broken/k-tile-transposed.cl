// Symptom: right at size 1. At 64, or at 37x91x53, every element is wrong.
// Run: lesson08 --only matmul_register_tile --size 37x91x53

#ifndef REAL // the element type, from --type
#define REAL float
#endif

#ifndef TM
#define TM 64 // rows of C per group
#endif
#ifndef TN
#define TN 128 // columns of C per group
#endif
#ifndef TK
#define TK 16 // how deep the tiles are; local memory holds (TM + TN) * TK elements
#endif
#ifndef RM
#define RM 8 // rows of C per item
#endif
#ifndef RN
#define RN 8 // columns of C per item
#endif
#define GX (TN / RN) // items side by side
#define GY (TM / RM) // items one below the other
#define ITEMS (GX * GY)

__attribute__((reqd_work_group_size(GX, GY, 1)))
kernel void matmul_register_tile(int M, int N, int K,
                                 global const REAL *restrict A, // [M][K]
                                 global const REAL *restrict B, // [K][N]
                                 global REAL *restrict C)       // [M][N]
{
    local REAL a_tile[TK][TM]; // [k][row]
    local REAL b_tile[TK][TN]; // [k][column]

    const int x = get_local_id(0);
    const int y = get_local_id(1);
    const uint item = y * GX + x; // unsigned: i / TK is a shift and i % TK a mask
    const int column0 = get_group_id(0) * TN;
    const int row0 = get_group_id(1) * TM;

    REAL sum[RM][RN]; // sum[r][c]: row row0 + y + r * GY, column column0 + x + c * GX
    for (int r = 0; r < RM; r++)
        for (int c = 0; c < RN; c++)
            sum[r][c] = 0;

    for (int k0 = 0; k0 < K; k0 += TK) {
        // The tiles no longer have the group's shape, so the items walk them as one
        // long line. The number of rounds is a constant: the compiler unrolls them and
        // starts all loads at once.
        for (uint round = 0; round < TM * TK / ITEMS; round++) {
            const uint i = round * ITEMS + item;
            a_tile[i / TM][i % TM] = A[(row0 + i / TK) * K + k0 + i % TK];
        }
        for (uint round = 0; round < TK * TN / ITEMS; round++) {
            const uint i = round * ITEMS + item;
            b_tile[i / TN][i % TN] = B[(k0 + i / TN) * N + column0 + i % TN];
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < TK; k++) {
            REAL b[RN]; // a row of RN elements and a column of RM make RM * RN products
            for (int c = 0; c < RN; c++)
                b[c] = b_tile[k][x + c * GX];
            for (int r = 0; r < RM; r++) {
                const REAL a = a_tile[k][y + r * GY];
                for (int c = 0; c < RN; c++)
                    sum[r][c] += a * b[c];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int r = 0; r < RM; r++)
        for (int c = 0; c < RN; c++)
            C[(row0 + y + r * GY) * N + column0 + x + c * GX] = sum[r][c];
}
