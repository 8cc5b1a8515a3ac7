// Sum, stage 3: four elements a load, and rounds that belong to a group.
//
// An item loads a float4 and keeps four sums, which do not wait for each other: a
// quarter of the load instructions, and four additions in flight instead of one.
//
// A round is 4 * ITEMS neighbouring elements, and a group takes whole rounds. All its
// items then make the same number of steps, which the loop shows: it depends on the
// group alone. A CPU driver can so run all items of a group within one step and read
// 4 KiB in a row, where the loop of stage 2 sends each item through all of memory by
// itself.

#define ITEMS 256           // in a group
#define ROUND (4 * ITEMS)   // elements that a group loads at a time

// The sum over the group of what each item brings; item 0 has it.
float tree(float mine, local float *tile)
{
    const int me = get_local_id(0);
    tile[me] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int others = ITEMS / 2; others > 0; others /= 2) {
        if (me < others)
            tile[me] += tile[me + others];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return tile[0];
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void sum_parts(int n,
                      global const float *in, // [n]
                      global float *part)     // [groups]
{
    local float tile[ITEMS];
    const int me = get_local_id(0);
    const int rounds = n / ROUND;

    // A buffer begins at a multiple of 16 bytes, so a float4 may be loaded from it.
    global const float4 *in4 = (global const float4 *)in;
    float4 four = 0;
    for (int r = get_group_id(0); r < rounds; r += get_num_groups(0))
        four += in4[r * ITEMS + me];
    float sum = (four.x + four.y) + (four.z + four.w);

    // What is left behind the last whole round, at most ROUND - 1 elements.
    if (get_group_id(0) == 0)
        for (int i = rounds * ROUND + me; i < n; i += ITEMS)
            sum += in[i];

    sum = tree(sum, tile);
    if (me == 0)
        part[get_group_id(0)] = sum;
}

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
