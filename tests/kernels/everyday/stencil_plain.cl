kernel void stencil(int rows, int cols, float c, global const float *in, global float *out)
{
    for (int at = 0; at < rows * cols; at++)
        out[at] = in[at];
    for (int y = 1; y < rows - 1; y++)
        for (int x = 1; x < cols - 1; x++) {
            const int at = y * cols + x;
            const float around = in[at - 1] + in[at + 1] + in[at - cols] + in[at + cols];
            out[at] = in[at] + c * (around - 4 * in[at]);
        }
}
