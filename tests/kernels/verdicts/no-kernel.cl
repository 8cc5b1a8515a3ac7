// What the preprocessor leaves is no kernel.
#ifdef PART
kernel void part(int n, global const float *x, global float *y)
{
    y[get_global_id(0)] = x[get_global_id(0)];
}
#endif
