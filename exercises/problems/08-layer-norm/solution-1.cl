// Layer norm, stage 1: a group for each row, mean first, then variance.
//
// Coalesced, and as exact as the plain kernel: the variance is made of differences to
// the mean, so it cannot cancel. The row is read three times, and there are two
// trees.

#define EPSILON 1e-5f
#define ITEMS 128 // in a group

// The sum over what the items bring; all of them get it.
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
    barrier(CLK_LOCAL_MEM_FENCE); // all have read it: the tile may be used again
    return all;
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void layer_norm(int rows, int columns,
                       global const float *in,    // [rows][columns]
                       global const float *scale, // [columns]
                       global const float *shift, // [columns]
                       global float *out)         // [rows][columns]
{
    local float tile[ITEMS];
    const int me = get_local_id(0);
    in += get_group_id(0) * columns;
    out += get_group_id(0) * columns;

    float sum = 0;
    for (int k = me; k < columns; k += ITEMS)
        sum += in[k];
    const float mean = added(sum, tile) / columns;

    float squares = 0;
    for (int k = me; k < columns; k += ITEMS)
        squares += (in[k] - mean) * (in[k] - mean);
    const float slope = rsqrt(added(squares, tile) / columns + EPSILON);

    for (int k = me; k < columns; k += ITEMS)
        out[k] = (in[k] - mean) * slope * scale[k] + shift[k];
}
