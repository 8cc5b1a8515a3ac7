// The acceleration of each body; positions are staged in local memory, a tile at a time.
kernel void nbody(global const float4 *body, int n, float soft, global float4 *force,
                  local float4 *tile)
{
    const int i = get_global_id(0), me = get_local_id(0), side = get_local_size(0);
    const float4 mine = i < n ? body[i] : (float4)(0);
    float3 sum = 0;
    for (int begin = 0; begin < n; begin += side) {
        tile[me] = begin + me < n ? body[begin + me] : (float4)(0);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < side; j++) {
            const float3 d = tile[j].xyz - mine.xyz;
            const float r = rsqrt(dot(d, d) + soft);
            sum += tile[j].w * r * r * r * d;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n)
        force[i] = (float4)(sum, 0);
}
