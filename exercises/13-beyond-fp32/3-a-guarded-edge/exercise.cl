// Exercise 13.3: a guarded edge. The rows of A are copied to rows that are `pitch`
// long, a multiple of 16, so that a product without guards can read them. An item
// copies four elements. What is not in A must be zero.
//
// As it stands all items load four elements: beyond a row's end the next row's.

kernel void pad(int columns, int pitch,
                global const float *A, // [rows][columns]
                global float *padded)  // [rows][pitch]
{
    const int column = 4 * get_global_id(0), row = get_global_id(1);
    if (column >= pitch)
        return;

    // ---- your lines begin
    const float4 four = vload4(0, A + row * columns + column);
    vstore4(four, 0, padded + row * pitch + column);
    // ---- your lines end
}
