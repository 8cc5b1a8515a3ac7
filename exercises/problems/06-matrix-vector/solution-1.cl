// Matrix-vector, stage 1: a group for each row.
//
// With an item for each row, as in the plain kernel, neighbouring items read elements
// that lie a whole row apart: 32 sectors of 32 bytes for 32 elements. Here the items
// of a group read neighbouring elements of one row, 4 sectors for 32 elements, and
// then add up their sums in a tree.

#define ITEMS 64 // in a group

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void matvec(int rows, int columns,
                   global const float *A, // [rows][columns]
                   global const float *x, // [columns]
                   global float *y)       // [rows]
{
    local float tile[ITEMS];
    const int me = get_local_id(0);
    const int row = get_group_id(0);

    float sum = 0;
    for (int k = me; k < columns; k += ITEMS)
        sum += A[row * columns + k] * x[k];

    tile[me] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int others = ITEMS / 2; others > 0; others /= 2) {
        if (me < others)
            tile[me] += tile[me + others];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me == 0)
        y[row] = tile[0];
}
