// A number for each of BLOCKS groups, then one group adds these up.
#ifndef SIZE
#define SIZE 64 // items of a group, a power of two
#endif

__attribute__((reqd_work_group_size(SIZE, 1, 1)))
kernel void sum_floats(global float *sum, global const float *x, int n)
{
    local float tile[SIZE];
    const int me = get_local_id(0);
    float mine = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        mine += x[i];
    tile[me] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int others = SIZE / 2; others > 0; others /= 2) {
        if (me < others)
            tile[me] += tile[me + others];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me == 0)
        sum[get_group_id(0)] = tile[0];
}
