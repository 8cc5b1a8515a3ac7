// Transposition, stage 2: rows of the tile one element longer.
//
// Element tile[x][y] is now word 33 * x + y, and word i lies in bank i mod 32. So 32
// neighbouring items, which have 32 different x, read 32 different banks: one pass
// instead of 32. The element at the end of each row is never used.

#define SIDE 32  // of the tile
#define STRIPE 8 // rows that the group of 32 x 8 items moves at a time

__attribute__((reqd_work_group_size(SIDE, STRIPE, 1)))
kernel void transpose(int rows, int columns,
                      global const float *in, // [rows][columns]
                      global float *out)      // [columns][rows]
{
    local float tile[SIDE][SIDE + 1]; // [row][column] of `in`
    const int x = get_local_id(0);
    const int row0 = get_group_id(1) * SIDE;
    const int column0 = get_group_id(0) * SIDE;

    for (int y = get_local_id(1); y < SIDE; y += STRIPE)
        if (row0 + y < rows && column0 + x < columns)
            tile[y][x] = in[(row0 + y) * columns + column0 + x];
    barrier(CLK_LOCAL_MEM_FENCE); // the tile is there

    for (int y = get_local_id(1); y < SIDE; y += STRIPE)
        if (column0 + y < columns && row0 + x < rows)
            out[(column0 + y) * rows + row0 + x] = tile[x][y];
}
