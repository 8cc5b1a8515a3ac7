// Convolution, stage 3, for a CPU: sixteen results in a row for each item, and no tile.
//
// A CPU's local memory is ordinary memory: the tile is one more copy, and its barrier
// cuts the loop over the group's items. The L1 cache holds seven rows of the image
// anyway. An item computes 16 neighbours, one in each lane of a vector:
//
//     for each weight    one load of 16 elements, and 16 multiply-adds
//
// A vector is loaded from any address, so vload16. At the image's edges each element
// is tested. On a GPU the loads of neighbouring items lie 64 bytes apart, which takes
// 16 times as many passes: stage 2 is the better one there.

#define R 3           // elements on either side
#define W (2 * R + 1) // side of the filter

// One result, tested everywhere.
float at_edge(int rows, int columns, global const float *in, constant float *filter,
              int y, int x)
{
    float sum = 0;
    for (int dy = max(-R, -y); dy <= min(R, rows - 1 - y); dy++)
        for (int dx = max(-R, -x); dx <= min(R, columns - 1 - x); dx++)
            sum += filter[(dy + R) * W + dx + R] * in[(y + dy) * columns + x + dx];
    return sum;
}

kernel void convolve(int rows, int columns,
                     global const float *in,   // [rows][columns]
                     constant float *filter,   // [W][W]
                     global float *out)        // [rows][columns]
{
    const int x = get_global_id(0) * 16; // of the first of sixteen
    const int y = get_global_id(1);
    if (x >= columns || y >= rows)
        return;
    if (x < R || x + 16 + R > columns || y < R || y + R >= rows) {
        for (int along = x; along < min(x + 16, columns); along++)
            out[y * columns + along] = at_edge(rows, columns, in, filter, y, along);
        return;
    }

    float16 sum = 0;
    for (int dy = 0; dy < W; dy++) {
        global const float *row = in + (y + dy - R) * columns + x - R;
        for (int dx = 0; dx < W; dx++)
            sum += filter[dy * W + dx] * vload16(0, row + dx);
    }
    vstore16(sum, 0, out + y * columns + x);
}
