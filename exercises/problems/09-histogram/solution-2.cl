// Histogram, stage 2: one histogram for each group, in local memory.
//
// The atomics of a group go to counters of its own, which no other group waits for.
// At the end the group adds its 256 counters to the global ones. With 256 groups
// these are 65,536 global atomics in all, however large n is; stage 1 has n.
//
// What is left: 32 items that meet the same bin at the same time still take turns.

#define ITEMS 256 // in a group: one for each bin

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void histogram(int n,
                      global const uchar *in, // [n]
                      global uint *count)     // [256]
{
    local uint mine[256];
    const int me = get_local_id(0);

    mine[me] = 0;
    barrier(CLK_LOCAL_MEM_FENCE); // all counters are 0

    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&mine[in[i]]);
    barrier(CLK_LOCAL_MEM_FENCE); // all have counted

    if (mine[me] > 0)
        atomic_add(&count[me], mine[me]);
}
