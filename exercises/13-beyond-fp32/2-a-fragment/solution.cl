// Exercise 13.2: a fragment. A matrix unit leaves a piece of C, 16 x 8 elements, in the
// registers of 32 items, four for each. Item 4 * g + t holds columns 2 * t and
// 2 * t + 1 of row g, and then the same columns of row g + 8. Here they lie in memory.
//
// Write each element where it belongs in C. As it stands an item's four are taken for
// neighbours in a row.

__attribute__((reqd_work_group_size(32, 1, 1)))
kernel void store_fragments(int columns,
                            global const float *fragments, // [pieces][32][4]
                            global float *C)               // [rows][columns]
{
    const int item = get_local_id(0);
    // The first of the piece.
    const int row0 = 16 * get_group_id(1), column0 = 8 * get_group_id(0);
    const int piece = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    const float4 four = vload4(32 * piece + item, fragments);

    // ---- your lines begin
    const int row = row0 + item / 4, column = column0 + item % 4 * 2;
    vstore2(four.lo, 0, C + row * columns + column);
    vstore2(four.hi, 0, C + (row + 8) * columns + column);
    // ---- your lines end
}
