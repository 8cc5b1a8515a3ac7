// Exercise 5.2: two columns at once. C[M][N] = A[M][K] * B[K][N], row-major.
//
// An item computes two neighbouring elements of a row of C. Both need the same row of
// A, which is loaded twice. Load each element of A once for the two. N may be odd: the
// last item of a row then has one column only.

kernel void matmul(int M, int N, int K,
                   global const float *A, // [M][K]
                   global const float *B, // [K][N]
                   global float *C)       // [M][N]
{
    const int column = 2 * get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    const int second = column + 1 < N; // whether there is a second column
    float sum0 = 0, sum1 = 0;
    // ---- your lines begin
    for (int k = 0; k < K; k++) {
        const float a = A[row * K + k];
        sum0 += a * B[k * N + column];
        if (second)
            sum1 += a * B[k * N + column + 1];
    }
    // ---- your lines end
    C[row * N + column] = sum0;
    if (second)
        C[row * N + column + 1] = sum1;
}
