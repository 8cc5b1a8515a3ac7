// int8, stage 1: a group for each row, an element for each item at a time.
//
// Coalesced, but in bytes: 32 neighbouring items load 32 bytes, a quarter of what they
// could. And each element costs three loads (byte, scale, x) and two multiplications.

#define ITEMS 64 // in a group

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void matvec_int8(int rows, int columns,
                        global const char *A,      // [rows][columns]
                        global const float *scale, // [rows][columns / 32]
                        global const float *x,     // [columns]
                        global float *y)           // [rows]
{
    local float tile[ITEMS];
    const int me = get_local_id(0), row = get_group_id(0);
    A += row * columns;
    scale += row * (columns / 32);

    float sum = 0;
    for (int k = me; k < columns; k += ITEMS)
        sum += scale[k / 32] * A[k] * x[k];

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
