// Matrix-vector, stage 2: four rows for each group.
//
// An element of x is loaded once and used for four rows, so there are 1 1/4 loads for
// each multiply-add instead of 2. The four loads of A do not wait for each other:
// four times as many bytes are in flight, which is what memory needs. The four trees
// share the barriers.
//
// The rows beyond the end are taken to be the last row again. Their sums are not
// stored, and the loop needs no test.

#define ITEMS 64 // in a group
#define ROWS 4   // of a group

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void matvec(int rows, int columns,
                   global const float *A, // [rows][columns]
                   global const float *x, // [columns]
                   global float *y)       // [rows]
{
    local float4 tile[ITEMS]; // a lane for each row
    const int me = get_local_id(0);
    const int row0 = get_group_id(0) * ROWS;
    global const float *a0 = A + min(row0, rows - 1) * columns;
    global const float *a1 = A + min(row0 + 1, rows - 1) * columns;
    global const float *a2 = A + min(row0 + 2, rows - 1) * columns;
    global const float *a3 = A + min(row0 + 3, rows - 1) * columns;

    float4 sum = 0;
    for (int k = me; k < columns; k += ITEMS)
        sum += (float4)(a0[k], a1[k], a2[k], a3[k]) * x[k];

    tile[me] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int others = ITEMS / 2; others > 0; others /= 2) {
        if (me < others)
            tile[me] += tile[me + others];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me < ROWS && row0 + me < rows)
        y[row0 + me] = ((local float *)tile)[me]; // lane `me` of tile[0]
}
