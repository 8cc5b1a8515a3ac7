#include "beside.h"

kernel void twice(int n, global const float *x, global float *y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = TWICE(x[i]);
}
