// Exercise 11.3: what can run? A search space, judged on the device: one candidate for
// each item.
//
// A candidate is a tile of side x side elements for a group, in parts of part x part
// for an item, depth deep. It can run if part divides side, if the group has at most
// max_items items, and if the two tiles in local memory, side * depth floats each,
// take at most max_bytes. out[i] becomes 1 if candidate i can run, else 0.

kernel void candidates(int n, int max_items, int max_bytes,
                       global const int *side,  // [n]
                       global const int *part,  // [n]
                       global const int *depth, // [n]
                       global int *out)         // [n]
{
    const int i = get_global_id(0);
    if (i >= n)
        return;

    const int s = side[i], p = part[i], d = depth[i];
    // ---- your lines begin
    const int across = s / p; // items in a row of the group
    const int bytes = 2 * s * d * (int)sizeof(float);
    const int runs =
        s % p == 0 && across * across <= max_items && bytes <= max_bytes;
    // ---- your lines end
    out[i] = runs;
}
