// A 3x3 filter over an image of bytes in four channels; beyond the border the border's pixel
// stands.
kernel void filter(int width, int height, constant float *weights, global const uchar4 *from,
                   global uchar4 *to)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    float4 sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            const int at = clamp(y + dy, 0, height - 1) * width + clamp(x + dx, 0, width - 1);
            sum += weights[(dy + 1) * 3 + dx + 1] * convert_float4(from[at]);
        }
    to[y * width + x] = convert_uchar4_sat_rte(sum);
}
