// Exercise 14.1: rows of a slice. C = A * B, and this device computes some rows of it:
// those from row0 on, `rows` of them. It has all of A and B, and of C its slice alone.
//
// As it stands every device computes the first rows. Which row of A belongs to the
// item, and which row of C?

kernel void slice(int rows, int row0, int N, int K,
                  global const float *A, // [M][K]
                  global const float *B, // [K][N]
                  global float *C)       // [rows][N]
{
    const int column = get_global_id(0), row = get_global_id(1);
    if (row >= rows || column >= N)
        return;

    // ---- your lines begin
    const int a_row = row0 + row, c_row = row;
    // ---- your lines end

    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[a_row * K + k] * B[k * N + column];
    C[c_row * N + column] = sum;
}
