// Sparse, stage 5: x moves into local memory, and four items read a row.
//
// The 32 items of a warp ask for 32 elements of x that lie anywhere. A cache answers so
// many lines one after another; local memory answers word by word, and only two words of
// one bank wait for each other. All of x is 16 KiB. So a group keeps its own copy, and to
// be worth the loading takes block after block of rows.
//
// Four items read a row, 16 bytes at a time, and each adds up its share in a register.
// The shares go through local memory once, and no product does. A long row is added up by
// the whole group, as in stage 3.

#define ITEMS 256         // in a group; also the rows of a block
#define COLUMNS 4096      // of the matrix: elements of x
#define TEAM 4            // items for a short row
#define LONG (2 * ITEMS)  // elements from which on the group takes a row together

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void spmv(int rows,
                 global const int *start,   // [rows + 1]
                 global const int *column,  // [start[rows]]
                 global const float *value, // [start[rows]]
                 global const float *x,     // [COLUMNS]
                 global float *y)           // [rows]
{
    local float near_x[COLUMNS];
    local float share[ITEMS][TEAM + 1]; // + 1: neighbours' rows begin in other banks
    local int begin[ITEMS + 1];         // of the block's rows
    local int long_rows[ITEMS], longs;  // which are long, in any order, and how many
    const int me = get_local_id(0);
    for (int i = me; i < COLUMNS; i += ITEMS)
        near_x[i] = x[i];

    for (int row0 = get_group_id(0) * ITEMS; row0 < rows; row0 += get_global_size(0)) {
        const int count = min(ITEMS, rows - row0);
        begin[me] = start[min(row0 + me, rows)];
        if (me == 0) {
            begin[ITEMS] = start[min(row0 + ITEMS, rows)];
            longs = 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE); // they are there, and so is x

        for (int r = me / TEAM; r < count; r += ITEMS / TEAM) {
            const int end = begin[r + 1];
            float sum = 0;
            if (end - begin[r] < LONG)
                for (int i = begin[r] + me % TEAM; i < end; i += TEAM)
                    sum += value[i] * near_x[column[i]];
            share[r][me % TEAM] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE); // the shares are there

        if (me < count && begin[me + 1] - begin[me] < LONG) {
            float sum = 0;
            for (int t = 0; t < TEAM; t++)
                sum += share[me][t];
            y[row0 + me] = sum;
        } else if (me < count) {
            long_rows[atomic_inc(&longs)] = me;
        }
        barrier(CLK_LOCAL_MEM_FENCE); // nobody needs the shares any longer

        for (int l = 0; l < longs; l++) {
            const int r = long_rows[l];
            float sum = 0;
            for (int i = begin[r] + me; i < begin[r + 1]; i += ITEMS)
                sum += value[i] * near_x[column[i]];
            local float *all = &share[0][0];
            all[me] = sum;
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int others = ITEMS / 2; others > 0; others /= 2) {
                if (me < others)
                    all[me] += all[me + others];
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            if (me == 0)
                y[row0 + r] = all[0];
            barrier(CLK_LOCAL_MEM_FENCE); // it is read before the next row's come
        }
        barrier(CLK_LOCAL_MEM_FENCE); // the next block may come
    }
}
