// The same, one item for all.
kernel void stencil(global float *y, global const float *x, int width, int height)
{
    for (int at = 0; at < width * height; at++) {
        const int i = at % width, j = at / width;
        y[at] = x[at];
        if (i > 0 && j > 0 && i + 1 < width && j + 1 < height)
            y[at] += (x[at - 1] + x[at + 1] + x[at - width] + x[at + width]) / 4;
    }
}
