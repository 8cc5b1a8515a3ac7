// Transposition, stage 3, for a CPU: whole cache lines, and no local memory.
//
// A CPU's local memory is ordinary memory, so the tile is one more copy. What costs
// there is a cache line of 64 bytes of which one element is used before it is driven
// out. An item moves a block of 16 x 16 elements: it reads 16 pieces of rows of 64
// bytes and writes 16. Each line of `in` and of `out` is fetched once, if the matrix
// begins at a line.
//
// A group is one item: no neighbour helps, and a driver need not run items side by
// side, which would pull their blocks in at the same time. On a GPU this is the
// slowest stage, since neighbouring items are 64 bytes apart.

#define SIDE 16 // of a block; 16 floats are a cache line

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void transpose(int rows, int columns,
                      global const float *in, // [rows][columns]
                      global float *out)      // [columns][rows]
{
    const int row0 = get_global_id(1) * SIDE;
    const int column0 = get_global_id(0) * SIDE;
    const int row1 = min(row0 + SIDE, rows);
    const int column1 = min(column0 + SIDE, columns);

    for (int column = column0; column < column1; column++)
        for (int row = row0; row < row1; row++)
            out[column * rows + row] = in[row * columns + column];
}
