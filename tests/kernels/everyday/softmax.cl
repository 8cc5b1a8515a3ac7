// Softmax of each row, a group for a row, and so no row too many: y = exp(x - max) / sum.
kernel void softmax(int rows, int cols, global const float *x, global float *y)
{
    local float part[64];
    const int me = get_local_id(0), row = get_group_id(0);
    global const float *in = x + row * cols;

    float top = -INFINITY;
    for (int i = me; i < cols; i += 64)
        top = fmax(top, in[i]);
    part[me] = top;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int width = 32; width > 0; width /= 2) {
        if (me < width)
            part[me] = fmax(part[me], part[me + width]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    top = part[0];
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = 0;
    for (int i = me; i < cols; i += 64)
        sum += exp(in[i] - top);
    part[me] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int width = 32; width > 0; width /= 2) {
        if (me < width)
            part[me] += part[me + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = me; i < cols; i += 64)
        y[row * cols + i] = exp(in[i] - top) / part[0];
}
