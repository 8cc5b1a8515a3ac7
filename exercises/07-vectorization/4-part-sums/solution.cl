// Exercise 7.4: sums of parts, from an empty body. out[g] = the sum of the elements
// of part g, which begins at g * GROUP * EACH and holds GROUP * EACH elements, the
// last one fewer. A group of GROUP items has one part, and EACH is 8.

#define GROUP 64

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void part_sums(int n,
                      global const float *in, // [n]
                      global float *out)      // [parts]
{
    // ---- your lines begin
    local float tile[GROUP];
    const int me = get_local_id(0);
    const int first = get_group_id(0) * GROUP * EACH;
    const int end = first + GROUP * EACH;

    float4 sums = 0;
    for (int i = first + 4 * me; i < end; i += 4 * GROUP) {
        if (i + 4 <= n)
            sums += vload4(0, in + i);
        else
            for (int rest = i; rest < n; rest++)
                sums.s0 += in[rest];
    }
    tile[me] = (sums.s0 + sums.s1) + (sums.s2 + sums.s3);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int others = GROUP / 2; others > 0; others /= 2) {
        if (me < others)
            tile[me] += tile[me + others];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me == 0)
        out[get_group_id(0)] = tile[0];
    // ---- your lines end
}
