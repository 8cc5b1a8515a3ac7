// One step of a five-point stencil; the edge keeps its values.
kernel void stencil(global float *y, global const float *x, int width, int height)
{
    const int i = get_global_id(0), j = get_global_id(1);
    if (i >= width || j >= height)
        return;
    const int at = j * width + i;
    const bool inside = i > 0 && j > 0 && i < width - 1 && j < height - 1;
    y[at] = inside ? x[at] + 0.25f * (x[at - 1] + x[at + 1] + x[at - width] + x[at + width])
                   : x[at];
}
