kernel void sum(global const float *x, int n, global float *out)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    out[0] = sum;
}
