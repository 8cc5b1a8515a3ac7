// Sum, stage 1: a tree in local memory.
//
// Each item brings one element. In every step half of the items that are left add
// another's sum to their own, so 256 elements are added in 8 steps instead of 255.
// The second launch does the same with the groups' sums.
//
// What it still pays: one element costs an item 9 barriers, and in the last step 255 of
// 256 items look on.

#define ITEMS 256 // in a group

// The sum over the group of what each item brings; item 0 has it.
float tree(float mine, local float *tile)
{
    const int me = get_local_id(0);
    tile[me] = mine;
    barrier(CLK_LOCAL_MEM_FENCE); // all have brought theirs

    for (int others = ITEMS / 2; others > 0; others /= 2) {
        if (me < others)
            tile[me] += tile[me + others];
        barrier(CLK_LOCAL_MEM_FENCE); // outside the `if`: all items come to it
    }
    return tile[0];
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void sum_parts(int n,
                      global const float *in, // [n]
                      global float *part)     // [ceil(n / ITEMS)]
{
    local float tile[ITEMS];
    const int i = get_global_id(0);

    // An item beyond the end brings 0. It must not return: the barriers wait for it.
    const float sum = tree(i < n ? in[i] : 0.0f, tile);
    if (get_local_id(0) == 0)
        part[get_group_id(0)] = sum;
}

// One group: it walks over the parts until none is left.
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void sum_all(int parts,
                    global const float *part, // [parts]
                    global float *out)        // [1]
{
    local float tile[ITEMS];
    const int me = get_local_id(0);

    float sum = 0;
    for (int i = me; i < parts; i += ITEMS)
        sum += part[i];
    sum = tree(sum, tile);
    if (me == 0)
        out[0] = sum;
}
