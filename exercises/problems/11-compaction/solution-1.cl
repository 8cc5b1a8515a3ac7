// Compaction, stage 1: a place is a prefix sum.
//
// An element's place in the result is the number of elements kept before it. A shared
// counter with atomic_inc would give each a place, but in the order in which items
// happen to come. The prefix sum of the flags (1 for kept, 0 for not) gives the right
// one, and no flag is ever stored in global memory: the third launch compares again.

#define ITEMS 256 // in a group; also the elements of a part

// The sum over the items up to this one of what they bring (problem 10).
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
kernel void count_kept(int n,
                       global const float *in, // [n]
                       global int *kept)       // [ceil(n / ITEMS)]
{
    local int tile[ITEMS];
    const int me = get_local_id(0), i = get_global_id(0);
    tile[me] = i < n && in[i] > 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int others = ITEMS / 2; others > 0; others /= 2) {
        if (me < others)
            tile[me] += tile[me + others];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me == 0)
        kept[get_group_id(0)] = tile[0];
}

// One group. It takes ITEMS counts at a time; `carry` is the sum of those before.
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void scan_counts(int parts,
                        global int *kept,  // [parts]: becomes what is kept before
                        global int *count) // [1]
{
    local int tile[ITEMS];
    const int me = get_local_id(0);
    int carry = 0;
    for (int first = 0; first < parts; first += ITEMS) {
        const int i = first + me;
        const int mine = i < parts ? kept[i] : 0;
        const int upto = scanned(mine, tile);
        if (i < parts)
            kept[i] = carry + upto - mine;
        carry += tile[ITEMS - 1];
        barrier(CLK_LOCAL_MEM_FENCE); // all have read it: the tile may be used again
    }
    if (me == 0)
        count[0] = carry;
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void move(int n,
                 global const float *in,   // [n]
                 global const int *before, // [ceil(n / ITEMS)]
                 global float *out)        // [n]
{
    local int tile[ITEMS];
    const int i = get_global_id(0);
    const float element = i < n ? in[i] : 0.0f;
    const int keep = element > 0;
    const int upto = scanned(keep, tile); // this one included
    if (keep)
        out[before[get_group_id(0)] + upto - 1] = element;
}
