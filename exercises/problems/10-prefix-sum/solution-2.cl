// Prefix sum, stage 2: four neighbours for each item.
//
// An item adds up its four elements in registers and brings one number, so the tree
// and the scan, with all their barriers, serve four times as many elements. Each load
// is of 16 bytes. There are a quarter of the parts, too.

#define ITEMS 256          // in a group
#define PART (4 * ITEMS)   // elements of a part

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

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void totals(int n,
                   global const int *in, // [n]
                   global int *total)    // [ceil(n / PART)]
{
    local int tile[ITEMS];
    const int me = get_local_id(0);
    const int4 e = four(in, 4 * get_global_id(0), n);
    tile[me] = (e.x + e.y) + (e.z + e.w);
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
                 global const int *before, // [ceil(n / PART)]
                 global int *out)          // [n]
{
    local int tile[ITEMS];
    const int i = 4 * get_global_id(0);
    int4 e = four(in, i, n);
    e.y += e.x;
    e.z += e.y;
    e.w += e.z;
    const int upto = scanned(e.w, tile);
    e += before[get_group_id(0)] + upto - e.w; // what is before this item

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
