// Sum, stage 2: add first, meet once.
//
// The number of groups no longer follows from n. Each item adds up many elements in a
// register before the group builds its tree, so a tree's 9 barriers are paid once for
// hundreds of elements. Neighbouring items read neighbouring elements in every round.
//
// There are also as few parts as groups: the second launch has hardly anything to do.

#define ITEMS 256 // in a group

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

    float sum = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
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
