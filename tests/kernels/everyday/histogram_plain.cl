kernel void histogram(global const uchar *values, int n, global uint *bins)
{
    for (int i = 0; i < n; i++)
        bins[values[i]]++;
}
