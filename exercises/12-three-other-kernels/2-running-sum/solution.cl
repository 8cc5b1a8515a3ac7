// Exercise 12.2: a running sum. Within each group y[i] is the sum of its elements up to
// x[i]. Load each once, and add in six steps.

#define SIDE 64

__attribute__((reqd_work_group_size(SIDE, 1, 1)))
kernel void running_sum(int n,
                        global const float *x, // [n]
                        global float *y)       // [n]
{
    const int i = get_global_id(0), me = get_local_id(0);
    // ---- your lines begin
    local float tile[SIDE];
    float sum = i < n ? x[i] : 0.0f;
    tile[me] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int distance = 1; distance < SIDE; distance *= 2) {
        const float left = me >= distance ? tile[me - distance] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE); // all have read
        sum += left;
        tile[me] = sum;
        barrier(CLK_LOCAL_MEM_FENCE); // all have written
    }
    if (i < n)
        y[i] = sum;
    // ---- your lines end
}
