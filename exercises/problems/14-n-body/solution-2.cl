// N-body, stage 2: a tile of bodies in local memory.
//
// The group copies as many bodies as it has items, and all of them go through the
// tile. Global memory is read once for each group instead of once for each item: 256
// times less. It is worth little where the L1 cache served the loads anyway. Measure
// before you keep it.
//
// Behind the last body the tile has masses of 0, which pull nothing.

#define SOFT 0.01f
#define ITEMS 256 // in a group; also the bodies of a tile

float4 pull(float4 other, float4 here)
{
    const float4 d = other - here; // d.w is not used
    const float square = d.x * d.x + d.y * d.y + d.z * d.z + SOFT;
    const float inverse = rsqrt(square);
    return other.w * (inverse * inverse * inverse) * d;
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void nbody(int n,
                  global const float4 *body,   // [n]: x, y, z, mass
                  global float4 *acceleration) // [n]: x, y, z, 0
{
    local float4 tile[ITEMS];
    const int me = get_local_id(0), i = get_global_id(0);
    const float4 here = body[min(i, n - 1)];

    float4 sum = 0;
    for (int first = 0; first < n; first += ITEMS) {
        tile[me] = first + me < n ? body[first + me] : (float4)0;
        barrier(CLK_LOCAL_MEM_FENCE); // the tile is there

        for (int j = 0; j < ITEMS; j++)
            sum += pull(tile[j], here);
        barrier(CLK_LOCAL_MEM_FENCE); // nobody needs it any longer
    }
    if (i < n)
        acceleration[i] = (float4)(sum.xyz, 0);
}
