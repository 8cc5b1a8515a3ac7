// A function of OpenCL C has this name.
kernel void expm1(int n, global const float *x, global float *y)
{
    int i = get_global_id(0);
    if (i < n)
        y[i] = exp(x[i]) - 1;
}
