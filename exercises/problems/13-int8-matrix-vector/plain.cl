// y = A x, where A is kept as signed bytes: each 32 neighbours of a row share a
// scale, and an element is scale * byte. `columns` is a multiple of 32. One row for
// each work-item.
kernel void matvec_int8(int rows, int columns,
                        global const char *A,      // [rows][columns]
                        global const float *scale, // [rows][columns / 32]
                        global const float *x,     // [columns]
                        global float *y)           // [rows]
{
    const int row = get_global_id(0);
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = 0; k < columns; k++)
        sum += scale[row * (columns / 32) + k / 32] * A[row * columns + k] * x[k];
    y[row] = sum;
}
