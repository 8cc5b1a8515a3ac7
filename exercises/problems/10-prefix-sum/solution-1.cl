// Prefix sum, stage 1: a group for each 256 elements.
//
// No group can wait for another, so what must be known from others comes from an
// earlier launch: the first reads everything and leaves the parts' totals, the second
// sums these, the third reads everything again. Memory moves 12 bytes for each
// element, and 8 is the least: the copy rate cannot be reached, but two thirds of it.
//
// What it still pays: 17 barriers for each element of an item in the third launch,
// and 8 additions where one would do.

#define ITEMS 256 // in a group; also the elements of a part

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

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void totals(int n,
                   global const int *in, // [n]
                   global int *total)    // [ceil(n / ITEMS)]
{
    local int tile[ITEMS];
    const int me = get_local_id(0), i = get_global_id(0);
    tile[me] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int others = ITEMS / 2; others > 0; others /= 2) {
        if (me < others)
            tile[me] += tile[me + others];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me == 0)
        total[get_group_id(0)] = tile[0];
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
                 global const int *before, // [ceil(n / ITEMS)]
                 global int *out)          // [n]
{
    local int tile[ITEMS];
    const int i = get_global_id(0);
    const int upto = scanned(i < n ? in[i] : 0, tile);
    if (i < n)
        out[i] = before[get_group_id(0)] + upto;
}
