// int8, stage 3: sixteen bytes a load, and two rows for each group.
//
// 16 bytes are the widest load of a GPU, and a vector of 16 floats is a register of a
// CPU with AVX-512. An item takes half a block: one load of A for 16 elements. Now
// the loads of x, four times as many bytes as A, are what is left; two rows share
// them.
//
//     load instructions for 32 elements    24 (stage 2)    ->    (2 + 2 + 4) = 8
//
// A second row beyond the end is the first one again, and its sum is not stored.

#define ITEMS 64 // in a group

// The sum of 16 lanes.
float lanes(float16 v)
{
    return (((v.s0 + v.s1) + (v.s2 + v.s3)) + ((v.s4 + v.s5) + (v.s6 + v.s7)))
         + (((v.s8 + v.s9) + (v.sa + v.sb)) + ((v.sc + v.sd) + (v.se + v.sf)));
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void matvec_int8(int rows, int columns,
                        global const char *A,      // [rows][columns]
                        global const float *scale, // [rows][columns / 32]
                        global const float *x,     // [columns]
                        global float *y)           // [rows]
{
    local float2 tile[ITEMS]; // a lane for each row
    const int me = get_local_id(0);
    const int row0 = get_group_id(0) * 2, row1 = min(row0 + 1, rows - 1);
    global const char16 *a0 = (global const char16 *)(A + row0 * columns);
    global const char16 *a1 = (global const char16 *)(A + row1 * columns);
    global const float16 *x16 = (global const float16 *)x;
    global const float *scale0 = scale + row0 * (columns / 32);
    global const float *scale1 = scale + row1 * (columns / 32);

    float16 sum0 = 0, sum1 = 0; // lanes are added up once, at the end
    for (int h = me; h < columns / 16; h += ITEMS) {
        const float16 part = x16[h];
        sum0 += convert_float16(a0[h]) * (scale0[h / 2] * part);
        sum1 += convert_float16(a1[h]) * (scale1[h / 2] * part);
    }

    tile[me] = (float2)(lanes(sum0), lanes(sum1));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int others = ITEMS / 2; others > 0; others /= 2) {
        if (me < others)
            tile[me] += tile[me + others];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me == 0) {
        y[row0] = tile[0].x;
        if (row0 + 1 < rows)
            y[row0 + 1] = tile[0].y;
    }
}
