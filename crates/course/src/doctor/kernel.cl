kernel void trial(int n,
                  global const float *x, // [groups][16]
                  global float *y)       // [groups][16]
{
    local float tile[16];
    const int i = get_local_id(0);
    tile[i] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += tile[15 - i];
    y[get_global_id(0)] = sum;
}
