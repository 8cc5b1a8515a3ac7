// Sparse, stage 1: sixteen items for each row.
//
// With an item for each row, neighbouring items read elements that lie a row's length
// apart, and all of a warp waits for its longest row: every 64th row here has 516
// elements, the others 16. A team of 16 items reads 16 neighbouring elements at a
// time. A row of 16 takes one step, the long one 33 instead of 516.
//
// The tree stays within a team, but barriers are for the whole group. So all of it must
// come to them: each team goes through its row first, whatever its length.

#define ITEMS 64 // in a group
#define TEAM 16  // items for a row

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void spmv(int rows,
                 global const int *start,   // [rows + 1]
                 global const int *column,  // [start[rows]]
                 global const float *value, // [start[rows]]
                 global const float *x,     // [columns]
                 global float *y)           // [rows]
{
    local float tile[ITEMS];
    const int me = get_local_id(0), seat = me % TEAM;
    const int row = get_global_id(0) / TEAM;

    float sum = 0;
    if (row < rows)
        for (int i = start[row] + seat; i < start[row + 1]; i += TEAM)
            sum += value[i] * x[column[i]];

    tile[me] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int others = TEAM / 2; others > 0; others /= 2) {
        if (seat < others)
            tile[me] += tile[me + others];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (seat == 0 && row < rows)
        y[row] = tile[me];
}
