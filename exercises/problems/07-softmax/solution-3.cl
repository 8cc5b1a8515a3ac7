// Softmax, stage 3: the row stays in local memory.
//
// The group copies its row to local memory and finds the maximum on the way; the
// second pass replaces each element by its exp, the third only multiplies. Global
// memory is read once and written once, which is the least there is, and exp is
// computed once for each element instead of twice.
//
// KEPT elements are 16 KiB. Of a longer row the rest is read again from global
// memory, so any length is right. An item only touches the elements that it has
// brought itself: the copy needs no barrier.

#define ITEMS 128 // in a group
#define KEPT 4096 // elements of a row in local memory

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
    return tile[0];
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void softmax(int rows, int columns,
                    global const float *in, // [rows][columns]
                    global float *out)      // [rows][columns]
{
    local float tile[ITEMS];
    local float kept[KEPT]; // the row's beginning, later exp(element - most)
    const int me = get_local_id(0);
    const int near = min(columns, KEPT);
    in += get_group_id(0) * columns;
    out += get_group_id(0) * columns;

    float most = -INFINITY;
    for (int k = me; k < near; k += ITEMS) {
        kept[k] = in[k];
        most = fmax(most, kept[k]);
    }
    for (int k = near + me; k < columns; k += ITEMS)
        most = fmax(most, in[k]);
    most = largest(most, tile);

    float sum = 0;
    for (int k = me; k < near; k += ITEMS) {
        kept[k] = exp(kept[k] - most);
        sum += kept[k];
    }
    for (int k = near + me; k < columns; k += ITEMS)
        sum += exp(in[k] - most);
    const float share = 1 / added(sum, tile);

    for (int k = me; k < near; k += ITEMS)
        out[k] = kept[k] * share;
    for (int k = near + me; k < columns; k += ITEMS)
        out[k] = exp(in[k] - most) * share;
}
