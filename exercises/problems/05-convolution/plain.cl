// Each element of `out` is the sum of the 7 x 7 elements around it, each times a
// weight. Outside the image are zeros. One element for each work-item.
#define R 3           // elements on either side
#define W (2 * R + 1) // side of the filter

kernel void convolve(int rows, int columns,
                     global const float *in,   // [rows][columns]
                     constant float *filter,   // [W][W]
                     global float *out)        // [rows][columns]
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    if (x >= columns || y >= rows)
        return;
    float sum = 0;
    for (int dy = -R; dy <= R; dy++)
        for (int dx = -R; dx <= R; dx++)
            if (0 <= y + dy && y + dy < rows && 0 <= x + dx && x + dx < columns)
                sum += filter[(dy + R) * W + dx + R] * in[(y + dy) * columns + x + dx];
    out[y * columns + x] = sum;
}
