// Exercise 4.3: column-major. C[M][N] = A[M][K] * B[K][N], all three stored column by
// column, as Fortran and BLAS do: element (row, column) stands at
// column * height + row.
//
// The kernel is right. It splits an item's number as the exercise before did, which was
// best there. What is best here?

#define AT(row, column, height) ((column) * (height) + (row))

kernel void matmul(int M, int N, int K,
                   global const float *A, // [K][M], column by column
                   global const float *B, // [N][K], column by column
                   global float *C)       // [N][M], column by column
{
    const int i = get_global_id(0); // 0 .. M*N-1, and the surplus
    if (i >= M * N)
        return;

    // ---- your lines begin
    const int row = i / N;
    const int column = i % N;
    // ---- your lines end

    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[AT(row, k, M)] * B[AT(k, column, K)];
    C[AT(row, column, M)] = sum;
}
