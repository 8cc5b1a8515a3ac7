// Problem 14: acceleration[i] = the sum over j of mass_j * d / (d d + 0.01)^(3/2),
// where d is the way from body i to body j.

kernel void nbody(int n,
                  global const float4 *body,   // [n]: x, y, z, mass
                  global float4 *acceleration) // [n]: x, y, z, 0
{
}
