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
    // ---- your lines end
}
