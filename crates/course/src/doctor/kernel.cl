kernel void mirror(global const float *x, // [groups][16]
                   global float *y)       // [groups][16]
{
    local float tile[16];
    const int i = get_local_id(0);
    tile[i] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[get_global_id(0)] = fma(tile[15 - i], 2.0f, 1.0f);
}

kernel void long_sum(int n,
                     global const float *x, // [64]
                     global float *y)       // [items]
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i & 63];
    y[get_global_id(0)] = sum;
}
