// Layer norm, stage 3: the row stays in registers.
//
// An item keeps its first KEPT elements in private memory, in a loop with a fixed
// number of steps: unrolled, each has a register of its own. So the row is read once,
// and the mean and the variance may be computed one after the other, exactly, at no
// cost in traffic. Longer rows read the rest again, from element KEPT * ITEMS on.
//
// Local memory would hold the row as well (problem 7), but then every pass loads it
// from there. An element that only its own item needs belongs into a register.

#define EPSILON 1e-5f
#define ITEMS 128 // in a group
#define KEPT 16   // elements of an item in registers

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
    const int rest = KEPT * ITEMS + me; // the first element that is not kept
    in += get_group_id(0) * columns;
    out += get_group_id(0) * columns;

    float kept[KEPT]; // elements me, me + ITEMS, ... of the row
    float sum = 0;
    for (int s = 0; s < KEPT; s++) {
        const int k = s * ITEMS + me;
        kept[s] = k < columns ? in[k] : 0.0f;
        sum += kept[s];
    }
    for (int k = rest; k < columns; k += ITEMS)
        sum += in[k];
    const float mean = added(sum, tile) / columns;

    float squares = 0;
    for (int s = 0; s < KEPT; s++) {
        const float moved = s * ITEMS + me < columns ? kept[s] - mean : 0.0f;
        squares += moved * moved;
    }
    for (int k = rest; k < columns; k += ITEMS)
        squares += (in[k] - mean) * (in[k] - mean);
    const float slope = rsqrt(added(squares, tile) / columns + EPSILON);

    for (int s = 0; s < KEPT; s++) {
        const int k = s * ITEMS + me;
        if (k < columns)
            out[k] = (kept[s] - mean) * slope * scale[k] + shift[k];
    }
    for (int k = rest; k < columns; k += ITEMS)
        out[k] = (in[k] - mean) * slope * scale[k] + shift[k];
}
