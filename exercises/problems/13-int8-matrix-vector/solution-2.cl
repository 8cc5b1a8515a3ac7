// int8, stage 2: four bytes a load, one scale for four elements.
//
// An item takes four neighbours: one load of 4 bytes, one of 16 for x, one scale. So
// there are 3 load instructions for 4 elements instead of 12, and the scale is
// multiplied once. `columns` is a multiple of 32, so every row begins at a multiple
// of 4 bytes.

#define ITEMS 64 // in a group

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void matvec_int8(int rows, int columns,
                        global const char *A,      // [rows][columns]
                        global const float *scale, // [rows][columns / 32]
                        global const float *x,     // [columns]
                        global float *y)           // [rows]
{
    local float tile[ITEMS];
    const int me = get_local_id(0), row = get_group_id(0);
    global const char4 *a4 = (global const char4 *)(A + row * columns);
    global const float4 *x4 = (global const float4 *)x;
    scale += row * (columns / 32);

    float sum = 0;
    for (int q = me; q < columns / 4; q += ITEMS)
        sum += scale[q / 8] * dot(convert_float4(a4[q]), x4[q]);

    tile[me] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int others = ITEMS / 2; others > 0; others /= 2) {
        if (me < others)
            tile[me] += tile[me + others];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me == 0)
        y[row] = tile[0];
}
