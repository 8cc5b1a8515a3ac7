// A convolution as two passes: along rows, then down columns. The edge is repeated.
#ifndef R
#define R 2 // neighbours on either side
#endif

kernel void rows(global float *out, global const float *in, constant float *filter,
                 int width, int height)
{
    const int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int d = -R; d <= R && x < width && y < height; d++)
        sum += in[y * width + clamp(x + d, 0, width - 1)] * filter[d + R];
    if (x < width && y < height)
        out[y * width + x] = sum;
}

kernel void columns(global float *out, global const float *in, constant float *filter,
                    int width, int height)
{
    const int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int d = -R; d <= R && x < width && y < height; d++)
        sum += in[clamp(y + d, 0, height - 1) * width + x] * filter[d + R];
    if (x < width && y < height)
        out[y * width + x] = sum;
}
