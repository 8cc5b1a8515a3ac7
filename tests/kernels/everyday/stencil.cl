// One step of a 5-point stencil; the border stays as it is.
kernel void stencil(int rows, int cols, float c, global const float *in, global float *out)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= cols || y >= rows)
        return;
    const int at = y * cols + x;
    if (x == 0 || y == 0 || x == cols - 1 || y == rows - 1)
        out[at] = in[at];
    else
        out[at] = in[at] + c * (in[at - 1] + in[at + 1] + in[at - cols] + in[at + cols] - 4 * in[at]);
}
