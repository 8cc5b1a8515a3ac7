// out[column][row] = in[row][column], one element for each work-item.
kernel void transpose(int rows, int columns,
                      global const float *in, // [rows][columns]
                      global float *out)      // [columns][rows]
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row < rows && column < columns)
        out[column * rows + row] = in[row * columns + column];
}
