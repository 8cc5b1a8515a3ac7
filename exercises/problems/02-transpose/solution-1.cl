// Transposition, stage 1: through a tile in local memory.
//
// One of the two, reading or writing, goes down a column in the plain kernel: 32
// neighbouring items touch 32 sectors of 32 bytes and use 4 bytes of each. Here a group
// reads 32 x 32 elements along rows, and writes them along rows of the result. The
// exchange of rows and columns happens in local memory.
//
// That leaves bank conflicts: in the second loop 32 items read words that lie 32 apart,
// which are all in one bank. The load takes 32 passes.

#define SIDE 32  // of the tile
#define STRIPE 8 // rows that the group of 32 x 8 items moves at a time

__attribute__((reqd_work_group_size(SIDE, STRIPE, 1)))
kernel void transpose(int rows, int columns,
                      global const float *in, // [rows][columns]
                      global float *out)      // [columns][rows]
{
    local float tile[SIDE][SIDE]; // [row][column] of `in`
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
