// Convolution, stage 2: four elements one below the other for each item.
//
// Two neighbours in a column share six of their seven rows. An item that computes
// four of them walks down 10 rows of the tile, and uses each element it loads for up
// to four sums:
//
//     local loads for each result    49    ->    7 * 10 / 4 = 17 1/2
//
// The tile is 22 wide and 16 * 4 + 6 = 70 high, so global memory is read 1.5 times
// for each element instead of 1.9. Each weight, too, is loaded once for four results.

#define R 3             // elements on either side
#define W (2 * R + 1)   // side of the filter
#define SIDE 16         // of the group
#define STRIP 4         // results of an item
#define TILE_X (SIDE + 2 * R)
#define TILE_Y (SIDE * STRIP + 2 * R)

__attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
kernel void convolve(int rows, int columns,
                     global const float *in,   // [rows][columns]
                     constant float *filter,   // [W][W]
                     global float *out)        // [rows][columns]
{
    local float tile[TILE_Y][TILE_X];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int x0 = get_group_id(0) * SIDE - R; // of the tile's corner
    const int y0 = get_group_id(1) * SIDE * STRIP - R;

    for (int ty = ly; ty < TILE_Y; ty += SIDE)
        for (int tx = lx; tx < TILE_X; tx += SIDE) {
            const bool inside = 0 <= y0 + ty && y0 + ty < rows
                             && 0 <= x0 + tx && x0 + tx < columns;
            tile[ty][tx] = inside ? in[(y0 + ty) * columns + x0 + tx] : 0.0f;
        }
    barrier(CLK_LOCAL_MEM_FENCE); // the tile is there

    // sum[s] belongs to row ly * STRIP + s of what the group computes.
    float sum[STRIP] = {0};
    for (int dx = 0; dx < W; dx++) {
        float weight[W]; // the filter's column
        for (int dy = 0; dy < W; dy++)
            weight[dy] = filter[dy * W + dx];

        for (int t = 0; t < STRIP + 2 * R; t++) {
            const float element = tile[ly * STRIP + t][lx + dx];
            for (int s = 0; s < STRIP; s++) {
                const int dy = t - s; // its row of the filter, seen from row s
                if (0 <= dy && dy < W) // decided when the loops are unrolled
                    sum[s] += weight[dy] * element;
            }
        }
    }
    const int x = get_global_id(0);
    for (int s = 0; s < STRIP; s++) {
        const int y = (get_group_id(1) * SIDE + ly) * STRIP + s;
        if (x < columns && y < rows)
            out[y * columns + x] = sum[s];
    }
}
