// y = A x, where only the non-zeros of A are stored (compressed sparse rows): those
// of a row are elements start[row] .. start[row + 1] - 1 of `column` and `value`. One
// row for each work-item.
kernel void spmv(int rows,
                 global const int *start,   // [rows + 1]
                 global const int *column,  // [start[rows]]
                 global const float *value, // [start[rows]]
                 global const float *x,     // [columns]
                 global float *y)           // [rows]
{
    const int row = get_global_id(0);
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = start[row]; i < start[row + 1]; i++)
        sum += value[i] * x[column[i]];
    y[row] = sum;
}
