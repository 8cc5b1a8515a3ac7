// Layer norm, stage 2: sum and squares in one pass, one tree.
//
// The variance is mean(x x) - mean(x) mean(x). If the mean is large against the
// spread, the two are nearly equal, and their difference has no right digit left. So
// every element is first moved by the row's first one: that changes no variance, and
// both sums stay small. The row is read twice instead of three times, and half of the
// barriers go.

#define EPSILON 1e-5f
#define ITEMS 128 // in a group

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void layer_norm(int rows, int columns,
                       global const float *in,    // [rows][columns]
                       global const float *scale, // [columns]
                       global const float *shift, // [columns]
                       global float *out)         // [rows][columns]
{
    local float2 tile[ITEMS];
    const int me = get_local_id(0);
    in += get_group_id(0) * columns;
    out += get_group_id(0) * columns;

    const float first = in[0];
    float2 sums = 0; // of the moved elements, and of their squares
    for (int k = me; k < columns; k += ITEMS) {
        const float moved = in[k] - first;
        sums += (float2)(moved, moved * moved);
    }

    tile[me] = sums;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int others = ITEMS / 2; others > 0; others /= 2) {
        if (me < others)
            tile[me] += tile[me + others];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float2 means = tile[0] / columns;
    const float variance = fmax(means.y - means.x * means.x, 0.0f); // not below 0
    const float slope = rsqrt(variance + EPSILON);
    const float mean = first + means.x;

    for (int k = me; k < columns; k += ITEMS)
        out[k] = (in[k] - mean) * slope * scale[k] + shift[k];
}
