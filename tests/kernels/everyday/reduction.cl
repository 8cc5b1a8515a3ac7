// The sum of a vector: each group adds up a piece; a second launch adds up the groups' sums.
kernel void sums(global const float *x, int n, global float *out, local float *part)
{
    const int me = get_local_id(0);
    float sum = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        sum += x[i];
    part[me] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int width = get_local_size(0) / 2; width > 0; width /= 2) {
        if (me < width)
            part[me] += part[me + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me == 0)
        out[get_group_id(0)] = part[0];
}
