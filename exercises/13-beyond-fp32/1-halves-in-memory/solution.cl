// Exercise 13.1: halves in memory. y = x * A, a row times a matrix. A is stored in
// halves, x and y in floats. An item has four neighbouring columns; a row of A is
// `pitch` long, a multiple of 4.
//
// As it stands A's memory is read as if it held floats. Load halves, four at once, and
// let the sums be floats.

kernel void row_by_matrix(int rows, int pitch,
                          global const float *x, // [rows]
                          global const half *A,  // [rows][pitch]
                          global float *y)       // [pitch]
{
    const int column = 4 * get_global_id(0);
    if (column >= pitch)
        return;

    float4 sum = 0;
    for (int k = 0; k < rows; k++) {
    // ---- your lines begin
        const float4 a = vloada_half4(0, A + k * pitch + column);
    // ---- your lines end
        sum += x[k] * a;
    }
    vstore4(sum, 0, y + column);
}
