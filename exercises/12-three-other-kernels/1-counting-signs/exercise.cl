// Exercise 12.1: counting signs. count[0] numbers are below 0, count[1] are 0, count[2]
// are above. Each takes a global atomic: let a group need three.

kernel void signs(int n,
                  global const int *x, // [n]
                  global int *count)   // [3], full of zeros
{
    const int me = get_local_id(0);
    // ---- your lines begin
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&count[x[i] < 0 ? 0 : x[i] == 0 ? 1 : 2]);
    // ---- your lines end
}
