// The same in two passes over x: a larger maximum rescales the sum so far.
kernel void softmax(int rows, int cols, global const float *x, global float *y)
{
    local float tops[64], sums[64];
    const int me = get_local_id(0), row = get_group_id(0);
    global const float *in = x + row * cols;

    float top = -INFINITY, sum = 0;
    for (int i = me; i < cols; i += 64) {
        const float value = in[i], larger = fmax(top, value);
        sum = sum * exp(top - larger) + exp(value - larger);
        top = larger;
    }
    tops[me] = top;
    sums[me] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int width = 32; width > 0; width /= 2) {
        if (me < width && tops[me + width] > -INFINITY) {
            const float larger = fmax(tops[me], tops[me + width]);
            sums[me] = sums[me] * exp(tops[me] - larger)
                     + sums[me + width] * exp(tops[me + width] - larger);
            tops[me] = larger;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = me; i < cols; i += 64)
        y[row * cols + i] = exp(in[i] - tops[0]) / sums[0];
}
