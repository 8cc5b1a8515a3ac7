// Compaction, stage 3: the kept elements are gathered in local memory first.
//
// The group puts what a round keeps side by side in local memory, and then copies it
// to `out`: neighbouring items store neighbouring elements, as many at once as there
// are. Each store of stage 2 that touched up to 16 sectors of 32 bytes now touches 4
// or 5.

#define ITEMS 256          // in a group
#define ROUND (4 * ITEMS)  // elements that a group takes at a time

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

// Elements i .. i + 3, with zeros behind the end: these are not kept.
float4 four(global const float *in, int i, int n)
{
    if (i + 4 <= n)
        return ((global const float4 *)in)[i / 4];
    return (float4)(i < n ? in[i] : 0, i + 1 < n ? in[i + 1] : 0,
                    i + 2 < n ? in[i + 2] : 0, 0);
}

// The first element of a part; parts are whole rounds.
int begin(int part, int n)
{
    const int parts = get_num_groups(0);
    const int rounds = (n + ROUND - 1) / ROUND;
    return (rounds * (long)part / parts) * ROUND;
}

// How many of the four are kept. A comparison of vectors gives -1 where it holds.
int kept_of(float4 e)
{
    const int4 keep = e > 0.0f;
    return -(keep.x + keep.y + keep.z + keep.w);
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void count_kept(int n,
                       global const float *in, // [n]
                       global int *kept)       // [groups]
{
    local int tile[ITEMS];
    const int me = get_local_id(0), part = get_group_id(0);
    const int end = begin(part + 1, n);

    int mine = 0;
    for (int first = begin(part, n); first < end; first += ROUND)
        mine += kept_of(four(in, first + 4 * me, n));
    tile[me] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int others = ITEMS / 2; others > 0; others /= 2) {
        if (me < others)
            tile[me] += tile[me + others];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me == 0)
        kept[part] = tile[0];
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
                 global const int *before, // [groups]
                 global float *out)        // [n]
{
    local int tile[ITEMS];
    local float gathered[ROUND]; // what a round keeps
    const int me = get_local_id(0), part = get_group_id(0);
    const int end = begin(part + 1, n);

    int carry = before[part];
    for (int first = begin(part, n); first < end; first += ROUND) {
        const float4 e = four(in, first + 4 * me, n);
        const int mine = kept_of(e);
        int place = scanned(mine, tile) - mine;
        if (e.x > 0)
            gathered[place++] = e.x;
        if (e.y > 0)
            gathered[place++] = e.y;
        if (e.z > 0)
            gathered[place++] = e.z;
        if (e.w > 0)
            gathered[place++] = e.w;
        barrier(CLK_LOCAL_MEM_FENCE); // all are gathered

        const int kept = tile[ITEMS - 1];
        for (int i = me; i < kept; i += ITEMS)
            out[carry + i] = gathered[i];
        carry += kept;
        barrier(CLK_LOCAL_MEM_FENCE); // nobody needs them any longer
    }
}
