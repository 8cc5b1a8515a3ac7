// N-body, stage 1: one division less.
//
// The work is n n interactions, each of some 20 operations, for 16 bytes: arithmetic
// binds, not memory, and all items read the same body at the same time. So it counts
// what an interaction executes. rsqrt(s) cubed is 1 / (s sqrt(s)): one special
// instruction instead of a square root and a division, which are some ten
// instructions each.

#define SOFT 0.01f

// What a body at a distance d with a mass adds to the acceleration.
float4 pull(float4 other, float4 here)
{
    const float4 d = other - here; // d.w is not used
    const float square = d.x * d.x + d.y * d.y + d.z * d.z + SOFT;
    const float inverse = rsqrt(square);
    return other.w * (inverse * inverse * inverse) * d;
}

kernel void nbody(int n,
                  global const float4 *body,   // [n]: x, y, z, mass
                  global float4 *acceleration) // [n]: x, y, z, 0
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    const float4 here = body[i];
    float4 sum = 0;
    for (int j = 0; j < n; j++)
        sum += pull(body[j], here);
    acceleration[i] = (float4)(sum.xyz, 0);
}
