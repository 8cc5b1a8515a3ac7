// Exercise 14.3: a rectangle. A block of B, `columns` wide, is cut out of rows that are
// `pitch` long, from column `first` on. In the buffer `to` its rows lie close together.
//
// This is what clEnqueueWriteBufferRect does. As it stands the block is right only
// where it is the whole matrix.

kernel void cut(int rows, int columns, int pitch, int first,
                global const float *from, // [rows][pitch]
                global float *to)         // [rows][columns]
{
    const int column = get_global_id(0), row = get_global_id(1);
    if (row >= rows || column >= columns)
        return;

    // ---- your lines begin
    const int source = row * pitch + first + column;
    const int target = row * columns + column;
    // ---- your lines end
    to[target] = from[source];
}
