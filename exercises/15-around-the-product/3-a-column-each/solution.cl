// Exercise 15.3: a column each. Products of 8 x 8 x 8, one after another in memory;
// eight neighbours compute one.

kernel void products(int count,
                     global const float *A, // [count][8][8]
                     global const float *B, // [count][8][8]
                     global float *C)       // [count][8][8]
{
    const int column = get_global_id(0), product = get_global_id(1);
    if (product >= count)
        return;
    A += product * 64;
    B += product * 64 + column;
    C += product * 64 + column;
    // ---- your lines begin
    float b[8];
    for (int k = 0; k < 8; k++)
        b[k] = B[k * 8];
    for (int row = 0; row < 8; row++) {
        float sum = 0;
        for (int k = 0; k < 8; k++)
            sum += A[row * 8 + k] * b[k];
        C[row * 8] = sum;
    }
    // ---- your lines end
}
