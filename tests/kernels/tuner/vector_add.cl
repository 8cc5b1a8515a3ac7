// c = a + b. A group of any size.
kernel void vector_add(global float *c, global const float *a, global const float *b, int n)
{
    const int i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}
