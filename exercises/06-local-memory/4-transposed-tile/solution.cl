// Exercise 6.4: a tile transposed. out[columns][rows] = in[rows][columns].
//
// A group of SIDE x STRIPE items moves a tile of SIDE x SIDE elements. It reads
// rows of `in`, neighbours beside neighbours. As it stands it writes columns of
// `out`: 32 items, 32 sectors. Write rows of `out` instead, without a further load.

#define SIDE 32
#define STRIPE 8

__attribute__((reqd_work_group_size(SIDE, STRIPE, 1)))
kernel void transpose(int rows, int columns,
                      global const float *in, // [rows][columns]
                      global float *out)      // [columns][rows]
{
    local float tile[SIDE][SIDE + 1]; // [row][column] of `in`; see "banks"
    const int x = get_local_id(0);
    const int first_column = get_group_id(0) * SIDE;
    const int first_row = get_group_id(1) * SIDE;

    for (int y = get_local_id(1); y < SIDE; y += STRIPE)
        if (first_row + y < rows && first_column + x < columns)
            tile[y][x] = in[(first_row + y) * columns + first_column + x];
    barrier(CLK_LOCAL_MEM_FENCE);

    // ---- your lines begin
    for (int y = get_local_id(1); y < SIDE; y += STRIPE)
        if (first_column + y < columns && first_row + x < rows)
            out[(first_column + y) * rows + first_row + x] = tile[x][y];
    // ---- your lines end
}
