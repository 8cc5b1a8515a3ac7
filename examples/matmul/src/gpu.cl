// A group computes ROWS x COLUMNS elements of C, 8 x 8 in each item, from tiles of A
// and B in local memory that are DEPTH deep. No bound is checked: the host pads with
// zeros.
#ifndef ROWS // as the host says
#define ROWS 64
#define COLUMNS 128
#define DEPTH 16
#endif
#define GX (COLUMNS / 8) // items side by side
#define GY (ROWS / 8)    // items one below the other
kernel __attribute__((reqd_work_group_size(GX, GY, 1)))
void matmul(int N, int K, global const float *restrict A,
            global const float *restrict B, global float *restrict C)
{
    local float a_tile[ROWS][DEPTH], b_tile[DEPTH][COLUMNS];
    const int x = get_local_id(0), y = get_local_id(1);
    const uint item = y * GX + x;
    const int column0 = get_group_id(0) * COLUMNS, row0 = get_group_id(1) * ROWS;
    float sum[8][8] = {{0}};
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        // The loops' lengths are constants, so that all loads are sent at once.
        for (uint round = 0; round < ROWS * DEPTH / (GX * GY); round++) {
            const uint i = round * GX * GY + item;
            a_tile[i / DEPTH][i % DEPTH] = A[(row0 + i / DEPTH) * K + k0 + i % DEPTH];
        }
        for (uint round = 0; round < DEPTH * COLUMNS / (GX * GY); round++) {
            const uint i = round * GX * GY + item;
            b_tile[i / COLUMNS][i % COLUMNS] =
                B[(k0 + i / COLUMNS) * N + column0 + i % COLUMNS];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < DEPTH; k++) {
            float b[8];
            for (int c = 0; c < 8; c++)
                b[c] = b_tile[k][x + c * GX];
            for (int r = 0; r < 8; r++) {
                const float a = a_tile[y + r * GY][k];
                for (int c = 0; c < 8; c++)
                    sum[r][c] += a * b[c];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int r = 0; r < 8; r++)
        for (int c = 0; c < 8; c++)
            C[(row0 + y + r * GY) * N + column0 + x + c * GX] = sum[r][c];
}
