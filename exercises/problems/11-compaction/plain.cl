// The elements above 0, in their order, to the front of `out`, and how many they are.
// By one work-item.
kernel void compact(int n,
                    global const float *in, // [n]
                    global float *out,      // [n], the first count[0] are written
                    global int *count)      // [1]
{
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (in[i] > 0)
            out[kept++] = in[i];
    count[0] = kept;
}
