// Histogram, stage 1: one atomic for each element, in global memory.
//
// Items share the counters, so `count[b]++` loses counts: two items load the same
// number, and both store it plus one. atomic_inc does it undivided. All items of all
// groups send theirs to the same 256 words, which lie in 32 cache lines of 32 bytes.

kernel void histogram(int n,
                      global const uchar *in, // [n]
                      global uint *count)     // [256]
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&count[in[i]]);
}
