kernel void filter(int width, int height, constant float *weights, global const uchar *from,
                   global uchar *to)
{
    for (int i = 0; i < width * height * 4; i++) {
        const int x = i / 4 % width, y = i / 4 / width;
        float sum = 0;
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                const int at = clamp(y + dy, 0, height - 1) * width + clamp(x + dx, 0, width - 1);
                sum += weights[(dy + 1) * 3 + dx + 1] * from[at * 4 + i % 4];
            }
        to[i] = convert_uchar_sat_rte(sum);
    }
}
