// Exercise 8.1: distances, two by two. D[M][N]: the squared distance of each
// row of A from each row of B. An item has a block of 2 x 2 of them, and loads eight
// numbers in each round: four are enough.

kernel void distances(int M, int N, int K,
                      global const float *A, // [M][K]
                      global const float *B, // [N][K]
                      global float *D)       // [M][N]
{
    const int column = 2 * get_global_id(0), row = 2 * get_global_id(1);
    if (row >= M || column >= N)
        return;
    // ---- your lines begin
    for (int r = row; r < min(row + 2, M); r++)
        for (int c = column; c < min(column + 2, N); c++) {
            float sum = 0;
            for (int k = 0; k < K; k++) {
                const float d = A[r * K + k] - B[c * K + k];
                sum += d * d;
            }
            D[r * N + c] = sum;
        }
    // ---- your lines end
}
