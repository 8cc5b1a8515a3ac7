// Both kernels add within a group in the same way: half of the items add the other
// half's sums to theirs, then half of those, until one is left. Whole numbers, since
// the order of additions would round floats in another way on each device.
#ifndef GROUP // items of a group, a power of two, as the host says
#define GROUP 64
#endif

void add_up(local ulong *sums) // GROUP of them; the sum is in sums[0]
{
    const int me = get_local_id(0);
    for (int step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < step)
            sums[me] += sums[me + step];
    }
}

kernel void part_sums(int n, global const uint *numbers, global ulong *parts)
{
    local ulong sums[GROUP];
    ulong sum = 0;
    // Neighbouring items read neighbouring numbers, and each item many of them.
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        sum += numbers[i];
    sums[get_local_id(0)] = sum;
    add_up(sums);
    if (get_local_id(0) == 0)
        parts[get_group_id(0)] = sums[0];
}

// A single group.
kernel void total(int n, global const ulong *parts, global ulong *result)
{
    local ulong sums[GROUP];
    ulong sum = 0;
    for (int i = get_local_id(0); i < n; i += GROUP)
        sum += parts[i];
    sums[get_local_id(0)] = sum;
    add_up(sums);
    if (get_local_id(0) == 0)
        *result = sums[0];
}
