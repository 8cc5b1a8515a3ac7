// y = A x, one row for each work-item.
kernel void matvec(int rows, int columns,
                   global const float *A, // [rows][columns]
                   global const float *x, // [columns]
                   global float *y)       // [rows]
{
    const int row = get_global_id(0);
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = 0; k < columns; k++)
        sum += A[row * columns + k] * x[k];
    y[row] = sum;
}
