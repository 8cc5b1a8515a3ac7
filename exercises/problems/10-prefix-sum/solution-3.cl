// Prefix sum, stage 3: as many parts as groups that run at once.
//
// A part is now as long as it must be for a given number of groups. The first launch
// adds up a whole part in registers and builds one tree at its end, instead of one
// for each 1024 elements. The third walks along its part and carries the sum over
// from round to round. The second launch, in which all but one group's worth of the
// device is idle, has as many totals as there are groups: a single round.
//
// A CPU wants few, long parts. It also reads memory best in a row, which both walks do.

#define ITEMS 256          // in a group
#define ROUND (4 * ITEMS)  // elements that a group takes at a time

// The sum over the items up to this one of what they bring. In each step an item adds
// what the item `back` before it has; `back` doubles, so 8 steps do for 256 items.
// All must have read before one writes: two barriers for each step.
int scanned(int mine, local int *tile)
{
    const int me = get_local_id(0);
    tile[me] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int back = 1; back < ITEMS; back *= 2) {
        const int other = me >= back ? tile[me - back] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[me] += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return tile[me];
}

// Elements i .. i + 3, with zeros behind the end.
int4 four(global const int *in, int i, int n)
{
    if (i + 4 <= n)
        return ((global const int4 *)in)[i / 4];
    return (int4)(i < n ? in[i] : 0, i + 1 < n ? in[i + 1] : 0,
                  i + 2 < n ? in[i + 2] : 0, 0);
}

// The first element of a part; parts are whole rounds.
int begin(int part, int n)
{
    const int parts = get_num_groups(0);
    const int rounds = (n + ROUND - 1) / ROUND;
    return (rounds * (long)part / parts) * ROUND;
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void totals(int n,
                   global const int *in, // [n]
                   global int *total)    // [groups]
{
    local int tile[ITEMS];
    const int me = get_local_id(0), part = get_group_id(0);
    const int end = begin(part + 1, n);

    int4 e = 0;
    for (int first = begin(part, n); first < end; first += ROUND)
        e += four(in, first + 4 * me, n);
    tile[me] = (e.x + e.y) + (e.z + e.w);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int others = ITEMS / 2; others > 0; others /= 2) {
        if (me < others)
            tile[me] += tile[me + others];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me == 0)
        total[part] = tile[0];
}

// One group. It takes ITEMS totals at a time; `carry` is the sum of those before.
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void scan_totals(int parts,
                        global int *total) // [parts]: becomes what is before each part
{
    local int tile[ITEMS];
    const int me = get_local_id(0);
    int carry = 0;
    for (int first = 0; first < parts; first += ITEMS) {
        const int i = first + me;
        const int mine = i < parts ? total[i] : 0;
        const int upto = scanned(mine, tile);
        if (i < parts)
            total[i] = carry + upto - mine;
        carry += tile[ITEMS - 1];
        barrier(CLK_LOCAL_MEM_FENCE); // all have read it: the tile may be used again
    }
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void scan(int n,
                 global const int *in,     // [n]
                 global const int *before, // [groups]
                 global int *out)          // [n]
{
    local int tile[ITEMS];
    const int me = get_local_id(0), part = get_group_id(0);
    const int end = begin(part + 1, n);

    int carry = before[part];
    for (int first = begin(part, n); first < end; first += ROUND) {
        const int i = first + 4 * me;
        int4 e = four(in, i, n);
        e.y += e.x;
        e.z += e.y;
        e.w += e.z;
        const int upto = scanned(e.w, tile);
        e += carry + upto - e.w; // what is before this item
        carry += tile[ITEMS - 1];
        barrier(CLK_LOCAL_MEM_FENCE); // all have read it: the tile may be used again

        if (i + 4 <= n) {
            ((global int4 *)out)[i / 4] = e;
        } else {
            if (i < n)
                out[i] = e.x;
            if (i + 1 < n)
                out[i + 1] = e.y;
            if (i + 2 < n)
                out[i + 2] = e.z;
        }
    }
}
