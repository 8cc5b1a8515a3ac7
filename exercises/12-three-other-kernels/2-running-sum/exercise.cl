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
    float sum = 0;
    for (int j = i - me; j <= i && j < n; j++)
        sum += x[j];
    if (i < n)
        y[i] = sum;
    // ---- your lines end
}
