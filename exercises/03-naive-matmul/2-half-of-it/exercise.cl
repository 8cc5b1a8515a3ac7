// Exercise 3.2: half of it. S[M][M] = A[M][K] * A^T: the inner product of each row
// with each other. S is symmetric: compute each number once.

kernel void inner_products(int M, int K,
                           global const float *A, // [M][K]
                           global float *S)       // [M][M]
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    // ---- your lines begin
    if (row >= M || column >= M)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * A[column * K + k];
    S[row * M + column] = sum;
    // ---- your lines end
}
