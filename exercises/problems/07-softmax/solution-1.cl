// Softmax, stage 1: a group for each row, three passes.
//
// Neighbouring items read neighbouring elements, and a tree joins their maxima and
// then their sums. The row is read three times; the second and third time it comes
// from a cache if it is short enough.

#define ITEMS 128 // in a group

// The largest of, or the sum over, what the items bring; all of them get it.
float largest(float mine, local float *tile)
{
    const int me = get_local_id(0);
    tile[me] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int others = ITEMS / 2; others > 0; others /= 2) {
        if (me < others)
            tile[me] = fmax(tile[me], tile[me + others]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float all = tile[0];
    barrier(CLK_LOCAL_MEM_FENCE); // all have read it: the tile may be used again
    return all;
}

float added(float mine, local float *tile)
{
    const int me = get_local_id(0);
    tile[me] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int others = ITEMS / 2; others > 0; others /= 2) {
        if (me < others)
            tile[me] += tile[me + others];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float all = tile[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return all;
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void softmax(int rows, int columns,
                    global const float *in, // [rows][columns]
                    global float *out)      // [rows][columns]
{
    local float tile[ITEMS];
    const int me = get_local_id(0);
    in += get_group_id(0) * columns;
    out += get_group_id(0) * columns;

    float most = -INFINITY;
    for (int k = me; k < columns; k += ITEMS)
        most = fmax(most, in[k]);
    most = largest(most, tile);

    float sum = 0;
    for (int k = me; k < columns; k += ITEMS)
        sum += exp(in[k] - most);
    sum = added(sum, tile);

    for (int k = me; k < columns; k += ITEMS)
        out[k] = exp(in[k] - most) / sum;
}
