// count[b] grows by the number of elements that are b. One bin for each work-item: it
// reads all elements and counts its own.
kernel void histogram(int n,
                      global const uchar *in, // [n]
                      global uint *count)     // [256]
{
    const int bin = get_global_id(0);
    if (bin >= 256)
        return;
    uint found = 0;
    for (int i = 0; i < n; i++)
        found += in[i] == bin;
    count[bin] += found;
}
