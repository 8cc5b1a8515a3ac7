// Sparse, stage 3: a long row is added up by all.
//
// In stage 2 one item adds up 512 products of a long row, and 63 wait for it at the
// barrier. A piece that lies in a single row is now summed by the whole group: each
// item keeps the products that it has multiplied itself in a register, and a tree
// joins them once, when the row ends. Short rows go through local memory as before.
//
// Which of the two it is, is the same for all items of the group: so the barriers are
// reached by all.

#define ITEMS 64           // in a group; also its rows
#define PIECE (8 * ITEMS)  // products in local memory at a time
#define LONG (2 * ITEMS)   // elements from which on the group takes a row together

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void spmv(int rows,
                 global const int *start,   // [rows + 1]
                 global const int *column,  // [start[rows]]
                 global const float *value, // [start[rows]]
                 global const float *x,     // [columns]
                 global float *y)           // [rows]
{
    local float product[PIECE];
    local int begin[ITEMS + 1]; // of the group's rows
    const int me = get_local_id(0);
    const int row0 = get_group_id(0) * ITEMS;
    const int count = min(ITEMS, rows - row0); // rows of this group

    begin[me] = start[min(row0 + me, rows)];
    if (me == 0)
        begin[ITEMS] = start[min(row0 + ITEMS, rows)];
    barrier(CLK_LOCAL_MEM_FENCE); // they are there

    for (int r0 = 0, r1; r0 < count; r0 = r1) {
        // As many rows as fit into a piece, or a single long one.
        r1 = r0 + 1;
        const int first = begin[r0];
        if (begin[r1] - first < LONG) {
            while (r1 < count && begin[r1 + 1] - first <= PIECE
                   && begin[r1 + 1] - begin[r1] < LONG)
                r1++;
            for (int i = first + me; i < begin[r1]; i += ITEMS)
                product[i - first] = value[i] * x[column[i]];
            barrier(CLK_LOCAL_MEM_FENCE); // the products are there

            if (r0 <= me && me < r1) {
                float sum = 0;
                for (int i = begin[me]; i < begin[me + 1]; i++)
                    sum += product[i - first];
                y[row0 + me] = sum;
            }
        } else {
            float sum = 0;
            for (int i = first + me; i < begin[r1]; i += ITEMS)
                sum += value[i] * x[column[i]];
            product[me] = sum;
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int others = ITEMS / 2; others > 0; others /= 2) {
                if (me < others)
                    product[me] += product[me + others];
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            if (me == 0)
                y[row0 + r0] = product[0];
        }
        barrier(CLK_LOCAL_MEM_FENCE); // nobody needs the products any longer
    }
}
