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
    const int below = min(row + 1, M - 1), right = min(column + 1, N - 1);
    float sum[2][2] = {{0, 0}, {0, 0}};
    for (int k = 0; k < K; k++) {
        const float a[2] = {A[row * K + k], A[below * K + k]};
        const float b[2] = {B[column * K + k], B[right * K + k]};
        for (int r = 0; r < 2; r++)
            for (int c = 0; c < 2; c++)
                sum[r][c] += (a[r] - b[c]) * (a[r] - b[c]);
    }
    for (int r = 0; r < 2 && row + r < M; r++)
        for (int c = 0; c < 2 && column + c < N; c++)
            D[(row + r) * N + column + c] = sum[r][c];
    // ---- your lines end
}
