// Sparse, stage 2: the group takes the elements of its rows, whoever's they are.
//
// The elements of 64 neighbouring rows lie in a row in memory. The group goes through
// them 512 at a time: each item multiplies 8, coalesced, whatever row they belong to,
// and leaves the products in local memory. Then each item adds up what of the piece
// is its row's. No item waits for a long row while memory is read: only the additions
// are unequal.

#define ITEMS 64           // in a group; also its rows
#define PIECE (8 * ITEMS)  // products in local memory at a time

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void spmv(int rows,
                 global const int *start,   // [rows + 1]
                 global const int *column,  // [start[rows]]
                 global const float *value, // [start[rows]]
                 global const float *x,     // [columns]
                 global float *y)           // [rows]
{
    local float product[PIECE];
    const int me = get_local_id(0);
    const int row0 = get_group_id(0) * ITEMS;
    const int row = row0 + me;

    // The group's elements, and those of this item's row.
    const int first = start[row0], last = start[min(row0 + ITEMS, rows)];
    const int mine0 = row < rows ? start[row] : last;
    const int mine1 = row < rows ? start[row + 1] : last;

    float sum = 0;
    for (int piece = first; piece < last; piece += PIECE) {
        const int end = min(piece + PIECE, last);
        for (int i = piece + me; i < end; i += ITEMS)
            product[i - piece] = value[i] * x[column[i]];
        barrier(CLK_LOCAL_MEM_FENCE); // the products are there

        for (int i = max(piece, mine0); i < min(end, mine1); i++)
            sum += product[i - piece];
        barrier(CLK_LOCAL_MEM_FENCE); // nobody needs them any longer
    }
    if (row < rows)
        y[row] = sum;
}
