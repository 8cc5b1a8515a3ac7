// Convolution, stage 1: the group fetches its part of the image once.
//
// A group of 16 x 16 items computes as many elements, and these need a tile of 22 x
// 22. It is copied to local memory with zeros where the image ends, so the inner loop
// needs no test. An item loads 22 * 22 / 256 = 1.9 elements from global memory
// instead of 49.
//
// The weights are the same for all items at the same time. That is what `constant` is
// for: a GPU reads one address once for the whole warp.

#define R 3             // elements on either side
#define W (2 * R + 1)   // side of the filter
#define SIDE 16         // of the group, and of what it computes
#define TILE (SIDE + 2 * R)

__attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
kernel void convolve(int rows, int columns,
                     global const float *in,   // [rows][columns]
                     constant float *filter,   // [W][W]
                     global float *out)        // [rows][columns]
{
    local float tile[TILE][TILE];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int x = get_global_id(0), y = get_global_id(1);
    const int x0 = get_group_id(0) * SIDE - R; // of the tile's corner
    const int y0 = get_group_id(1) * SIDE - R;

    for (int ty = ly; ty < TILE; ty += SIDE)
        for (int tx = lx; tx < TILE; tx += SIDE) {
            const bool inside = 0 <= y0 + ty && y0 + ty < rows
                             && 0 <= x0 + tx && x0 + tx < columns;
            tile[ty][tx] = inside ? in[(y0 + ty) * columns + x0 + tx] : 0.0f;
        }
    barrier(CLK_LOCAL_MEM_FENCE); // the tile is there

    float sum = 0;
    for (int dy = 0; dy < W; dy++)
        for (int dx = 0; dx < W; dx++)
            sum += filter[dy * W + dx] * tile[ly + dy][lx + dx];
    if (x < columns && y < rows)
        out[y * columns + x] = sum;
}
