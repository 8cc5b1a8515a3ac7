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
    float sum = 0;
    for (int j = i - R; j <= i + R; j++)
        if (j >= 0 && j < n)
            sum += x[j];
    if (i < n)
        y[i] = sum;
    // ---- your lines end
}
