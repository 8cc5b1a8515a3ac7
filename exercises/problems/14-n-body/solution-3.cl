// N-body, stage 3: four bodies for each item, side by side.
//
// A body of the tile is loaded once for four of the item's own, and the four chains
// of operations do not wait for each other. They are written as vectors over bodies,
// x of four, y of four, z of four: on a CPU all lanes are then at work, where stage
// 2's float4 has x, y, z and an idle one.
//
//     loads from local memory for each interaction    1    ->    1/4

#define SOFT 0.01f
#define ITEMS 64 // in a group; also the bodies of a tile

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void nbody(int n,
                  global const float4 *body,   // [n]: x, y, z, mass
                  global float4 *acceleration) // [n]: x, y, z, 0
{
    local float4 tile[ITEMS];
    const int me = get_local_id(0);
    // The item's bodies are ITEMS apart, so that neighbours load neighbours.
    const int i0 = get_group_id(0) * 4 * ITEMS + me;
    float4 of[4];
    for (int b = 0; b < 4; b++)
        of[b] = body[min(i0 + b * ITEMS, n - 1)];
    const float4 x = (float4)(of[0].x, of[1].x, of[2].x, of[3].x);
    const float4 y = (float4)(of[0].y, of[1].y, of[2].y, of[3].y);
    const float4 z = (float4)(of[0].z, of[1].z, of[2].z, of[3].z);

    float4 ax = 0, ay = 0, az = 0;
    for (int first = 0; first < n; first += ITEMS) {
        tile[me] = first + me < n ? body[first + me] : (float4)0;
        barrier(CLK_LOCAL_MEM_FENCE); // the tile is there

        for (int j = 0; j < ITEMS; j++) {
            const float4 other = tile[j];
            const float4 dx = other.x - x, dy = other.y - y, dz = other.z - z;
            const float4 inverse = rsqrt(dx * dx + dy * dy + dz * dz + SOFT);
            const float4 factor = other.w * (inverse * inverse * inverse);
            ax += factor * dx;
            ay += factor * dy;
            az += factor * dz;
        }
        barrier(CLK_LOCAL_MEM_FENCE); // nobody needs it any longer
    }

    const float4 sum[4] = {
        (float4)(ax.x, ay.x, az.x, 0),
        (float4)(ax.y, ay.y, az.y, 0),
        (float4)(ax.z, ay.z, az.z, 0),
        (float4)(ax.w, ay.w, az.w, 0),
    };
    for (int b = 0; b < 4; b++)
        if (i0 + b * ITEMS < n)
            acceleration[i0 + b * ITEMS] = sum[b];
}
