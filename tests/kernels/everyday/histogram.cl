// How often each of 256 values occurs: a histogram in local memory for each group, which is
// added to the one of all at the end.
kernel void histogram(global const uchar *values, int n, global uint *bins)
{
    local uint mine[256];
    for (int i = get_local_id(0); i < 256; i += get_local_size(0))
        mine[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&mine[values[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_local_id(0); i < 256; i += get_local_size(0))
        atomic_add(&bins[i], mine[i]);
}
