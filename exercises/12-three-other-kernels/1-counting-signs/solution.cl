// Exercise 12.1: counting signs. count[0] numbers are below 0, count[1] are 0, count[2]
// are above. Each takes a global atomic: let a group need three.

kernel void signs(int n,
                  global const int *x, // [n]
                  global int *count)   // [3], full of zeros
{
    const int me = get_local_id(0);
    // ---- your lines begin
    local int mine[3];
    if (me < 3)
        mine[me] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    int own[3] = {0, 0, 0};
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        const int number = x[i];
        own[0] += number < 0;
        own[1] += number == 0;
        own[2] += number > 0;
    }
    for (int s = 0; s < 3; s++)
        atomic_add(&mine[s], own[s]);
    barrier(CLK_LOCAL_MEM_FENCE);

    if (me < 3)
        atomic_add(&count[me], mine[me]);
    // ---- your lines end
}
