// Prefix sum, stage 5: what a group waits for, is asked for earlier, or not at all.
//
// The parts are those of stage 3. Three waits go:
//
// - The tree had 17 barriers for a round. Now each item adds up what lies before it by
//   itself, within its block of 16 items, and then over the blocks: 31 loads from local
//   memory at most, and 2 barriers.
// - A round's elements are loaded before the sums of the round before it are built.
// - The first launch walks through its part backwards. What it read last is then still in
//   the cache when the third launch begins, at the front.
//
// There are twice as many groups: while one waits, others compute.

#define ITEMS 256          // in a group
#define BLOCK 16           // items that are added up together; so many blocks, too
#define ROUND (4 * ITEMS)  // elements that a group takes at a time

// The sum over the items before this one of what they bring; `all`: over the group.
int before_me(int mine, local int *tile, local int *block, int *all)
{
    const int me = get_local_id(0);
    const int first = me / BLOCK * BLOCK;
    tile[me] = mine;
    barrier(CLK_LOCAL_MEM_FENCE); // all have brought theirs; nobody reads `block` any more
    int sum = 0;
    for (int i = first; i < me; i++)
        sum += tile[i];
    if (me % BLOCK == BLOCK - 1)
        block[me / BLOCK] = sum + mine;
    barrier(CLK_LOCAL_MEM_FENCE); // the blocks are added up; `tile` may be used again
    int total = 0;
    for (int b = 0; b < ITEMS / BLOCK; b++) {
        if (b == me / BLOCK)
            sum += total;
        total += block[b];
    }
    *all = total;
    return sum;
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
    local int block[ITEMS / BLOCK];
    const int me = get_local_id(0), part = get_group_id(0);
    const int end = begin(part, n);

    int4 e = 0;
    for (int first = begin(part + 1, n) - ROUND; first >= end; first -= ROUND)
        e += four(in, first + 4 * me, n);
    int all;
    before_me((e.x + e.y) + (e.z + e.w), tile, block, &all);
    if (me == 0)
        total[part] = all;
}

// One group. It takes ITEMS totals at a time; `carry` is the sum of those before.
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void scan_totals(int parts,
                        global int *total) // [parts]: becomes what is before each part
{
    local int tile[ITEMS];
    local int block[ITEMS / BLOCK];
    int carry = 0, all;
    for (int first = 0; first < parts; first += ITEMS) {
        const int i = first + get_local_id(0);
        const int before = before_me(i < parts ? total[i] : 0, tile, block, &all);
        if (i < parts)
            total[i] = carry + before;
        carry += all;
    }
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void scan(int n,
                 global const int *in,     // [n]
                 global const int *before, // [groups]
                 global int *out)          // [n]
{
    local int tile[ITEMS];
    local int block[ITEMS / BLOCK];
    const int me = get_local_id(0), part = get_group_id(0);
    const int end = begin(part + 1, n);

    int carry = before[part], all;
    int4 next = four(in, begin(part, n) + 4 * me, n);
    for (int first = begin(part, n); first < end; first += ROUND) {
        const int i = first + 4 * me;
        int4 e = next;
        if (first + ROUND < end)
            next = four(in, i + ROUND, n);
        e.y += e.x;
        e.z += e.y;
        e.w += e.z;
        e += carry + before_me(e.w, tile, block, &all);
        carry += all;

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
