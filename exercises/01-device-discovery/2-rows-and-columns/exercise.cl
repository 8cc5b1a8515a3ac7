// Exercise 1.2: rows and columns. out[row][column] = 1000 * row + column.
//
// Dimension 0 of the NDRange counts columns, dimension 1 rows. The matrix is stored
// row by row, `columns` elements each. Both dimensions are rounded up to whole groups
// of 8 x 8, so there are items beyond both edges, which must write nothing.

kernel void grid(int rows, int columns,
                 global int *out) // [rows][columns]
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);

    // ---- your lines begin
    out[row * rows + column] = 1000 * row + column;
    // ---- your lines end
}
