// Lesson 2: C = d * A + B, one work-item per element.
//
// A, B, C: vectors of n floats. The NDRange is rounded up to whole work-groups,
// so there may be more items than elements: the guard sends the surplus home.
kernel void saxpy(int n, float d, global const float *A, global const float *B,
                  global float *C)
{
    const int i = get_global_id(0);
    if (i < n)
        C[i] = d * A[i] + B[i];
}
