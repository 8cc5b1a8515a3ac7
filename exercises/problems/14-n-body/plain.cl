// The acceleration of each body by all: the sum of mass * d / (d d + SOFT)^(3/2),
// where d is the way to the other body. SOFT keeps two bodies in one place from
// dividing by zero, so a body may meet itself: d is 0. One body for each work-item.
#define SOFT 0.01f

kernel void nbody(int n,
                  global const float4 *body,   // [n]: x, y, z, mass
                  global float4 *acceleration) // [n]: x, y, z, 0
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    float3 sum = 0;
    for (int j = 0; j < n; j++) {
        const float3 d = body[j].xyz - body[i].xyz;
        const float square = dot(d, d) + SOFT;
        sum += body[j].w / (square * sqrt(square)) * d;
    }
    acceleration[i] = (float4)(sum, 0);
}
