// A matrix of 8-bit weights with a half scale for every 32 of a row, times a vector: a group
// for a row.
kernel void matvec(int rows, int cols, global const char *weights, global const half *scales,
                   global const float *x, global float *y)
{
    local float part[32];
    const int me = get_local_id(0), row = get_group_id(0), blocks = cols / 32;
    float sum = 0;
    for (int block = 0; block < blocks; block++) {
        const int at = block * 32 + me;
        sum += vload_half(row * blocks + block, scales) * weights[row * cols + at] * x[at];
    }
    part[me] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int width = 16; width > 0; width /= 2) {
        if (me < width)
            part[me] += part[me + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me == 0)
        y[row] = part[0];
}
