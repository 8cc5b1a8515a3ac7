// Exercise 3.1: distances between rows. D[M][N]: the squared distance of
// each row of A from each row of B, which have K coordinates each.

kernel void distances(int M, int N, int K,
                      global const float *A, // [M][K]
                      global const float *B, // [N][K]
                      global float *D)       // [M][N]
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    // ---- your lines begin
    if (row >= M || column >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++) {
        const float d = A[row * K + k] - B[column * K + k];
        sum += d * d;
    }
    D[row * N + column] = sum;
    // ---- your lines end
}
