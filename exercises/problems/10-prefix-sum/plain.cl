// out[i] = in[0] + ... + in[i], one after the other, by one work-item.
kernel void prefix_sum(int n,
                       global const int *in, // [n]
                       global int *out)      // [n]
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += in[i];
        out[i] = sum;
    }
}
