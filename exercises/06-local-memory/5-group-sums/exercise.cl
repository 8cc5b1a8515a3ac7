// Exercise 6.5: a sum by halves. out[g] = the sum of the elements of group g.
//
// Each item has put one element into the tile. In every step half of the items
// that are left add the other half's elements to their own: 64, 32, ... 1. After
// the last step the sum stands in tile[0]. Write the step.

#define ITEMS 64

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void group_sums(int n,
                       global const float *in, // [n]
                       global float *out)      // [groups]
{
    local float tile[ITEMS];
    const int me = get_local_id(0);
    const int i = get_global_id(0);

    tile[me] = i < n ? in[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int others = ITEMS / 2; others > 0; others /= 2) {
        // ---- your lines begin
        // ---- your lines end
    }
    if (me == 0)
        out[get_group_id(0)] = tile[0];
}
