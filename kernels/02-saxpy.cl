// Lesson 2: C = d * A + B, one work-item per element.
//
// A, B, C: vectors of n floats. The NDRange is rounded up to whole work-groups,
// so there may be more items than elements: the guard makes the surplus return.
kernel void saxpy(int n, float d,
                  global const float *A, // [n]
                  global const float *B, // [n]
                  global float *C)       // [n]
{
    const int i = get_global_id(0);
    if (i < n)
        C[i] = d * A[i] + B[i];
}

// The same, four neighbouring elements per work-item, loaded and stored as one
// value of 16 bytes. float4 has +, * and = like float, lane by lane.
//
// A pointer to float4 promises an address that is a multiple of 16; a buffer
// begins at one. Behind the last whole float4 up to three floats are left over:
// as many items behind the others take one each. So there are n / 4 + n % 4 of
// them, and the guard for the surplus again.
kernel void saxpy_vector(int n, float d,
                         global const float4 *A, // [n / 4], and n % 4 floats
                         global const float4 *B, // [n / 4], and n % 4 floats
                         global float4 *C)       // [n / 4], and n % 4 floats
{
    const int i = get_global_id(0);
    const int vectors = n / 4;
    if (i < vectors) {
        C[i] = d * A[i] + B[i];
        return;
    }

    // The same memory, float by float.
    global const float *a = (global const float *)A;
    global const float *b = (global const float *)B;
    global float *c = (global float *)C;
    const int left_over = 4 * vectors + (i - vectors);
    if (left_over < n)
        c[left_over] = d * a[left_over] + b[left_over];
}
