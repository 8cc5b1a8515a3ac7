// Softmax, stage 2: maximum and sum in one pass.
//
// When an item meets a larger element, all that it has added so far is too large by
// exp(new - old), so it multiplies the sum by exp(old - new) and goes on. That is
// called the online softmax. The row is read twice instead of three times, and one
// tree joins both numbers:
//
//     (most, sum) and (most', sum')
//         ->  (m, sum * exp(most - m) + sum' * exp(most' - m))
//
// where m is the larger of the two. It needs the same number of barriers as one of
// stage 1's trees.

#define ITEMS 128 // in a group

// A part of a row: its largest element (x), and the sum of exp(element - x) (y).
float2 joined(float2 a, float2 b)
{
    const float most = fmax(a.x, b.x);
    if (most == -INFINITY) // neither has an element; -INFINITY - -INFINITY is no number
        return a;
    return (float2)(most, a.y * exp(a.x - most) + b.y * exp(b.x - most));
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void softmax(int rows, int columns,
                    global const float *in, // [rows][columns]
                    global float *out)      // [rows][columns]
{
    local float2 tile[ITEMS];
    const int me = get_local_id(0);
    in += get_group_id(0) * columns;
    out += get_group_id(0) * columns;

    float most = -INFINITY, sum = 0;
    for (int k = me; k < columns; k += ITEMS) {
        const float element = in[k];
        if (element > most) { // seldom, after the first few
            sum *= exp(most - element);
            most = element;
        }
        sum += exp(element - most);
    }

    tile[me] = (float2)(most, sum);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int others = ITEMS / 2; others > 0; others /= 2) {
        if (me < others)
            tile[me] = joined(tile[me], tile[me + others]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float2 row = tile[0];

    for (int k = me; k < columns; k += ITEMS)
        out[k] = exp(in[k] - row.x) / row.y;
}
