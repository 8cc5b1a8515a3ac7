// int8, stage 4, for a CPU: a row for each item, a block of 32 at a time.
//
// An item walks along its row: two loads of 16 bytes, which become floats in two vector
// registers, and one scale. A group is one item, so a row is read from its beginning to
// its end, as the prefetcher expects. x stays in the L1 cache.

// The sum of 16 lanes.
float lanes(float16 v)
{
    return (((v.s0 + v.s1) + (v.s2 + v.s3)) + ((v.s4 + v.s5) + (v.s6 + v.s7)))
         + (((v.s8 + v.s9) + (v.sa + v.sb)) + ((v.sc + v.sd) + (v.se + v.sf)));
}

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void matvec_int8(int rows, int columns,
                        global const char *A,      // [rows][columns]
                        global const float *scale, // [rows][columns / 32]
                        global const float *x,     // [columns]
                        global float *y)           // [rows]
{
    const int row = get_group_id(0);
    global const char16 *a = (global const char16 *)(A + row * columns);
    global const float16 *x16 = (global const float16 *)x;
    scale += row * (columns / 32);

    float16 sum = 0;
    for (int block = 0; block < columns / 32; block++) {
        const float16 part = convert_float16(a[2 * block]) * x16[2 * block]
                           + convert_float16(a[2 * block + 1]) * x16[2 * block + 1];
        sum += scale[block] * part;
    }
    y[row] = lanes(sum);
}
