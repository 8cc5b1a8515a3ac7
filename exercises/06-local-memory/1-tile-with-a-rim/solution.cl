// Exercise 6.1: a tile with a rim. y[i] is the sum of x[i - R] to x[i + R]; outside
// of x are zeros. A group of 64 items needs 80 different elements: fetch each once.

#define SIDE 64 // items of a group
#define R 8     // neighbours on either side

__attribute__((reqd_work_group_size(SIDE, 1, 1)))
kernel void box_filter(int n,
                       global const float *x, // [n]
                       global float *y)       // [n]
{
    const int i = get_global_id(0), me = get_local_id(0);
    const int first = get_group_id(0) * SIDE; // the group's first element
    // ---- your lines begin
    local float tile[SIDE + 2 * R]; // x[first - R ...]
    for (int j = me; j < SIDE + 2 * R; j += SIDE) {
        const int from = first - R + j;
        tile[j] = from >= 0 && from < n ? x[from] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = 0;
    for (int j = 0; j <= 2 * R; j++)
        sum += tile[me + j];
    if (i < n)
        y[i] = sum;
    // ---- your lines end
}
