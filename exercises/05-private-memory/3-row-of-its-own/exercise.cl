// Exercise 5.3: a row of its own. C[M][N] = A[M][K] * B[K][N], row-major.
//
// An item computes a whole row of C, and so needs its row of A again for every column.
// It takes the row in pieces of at most PIECE elements. Load each piece from global
// memory once, and keep it in a private array while it is used.

#define PIECE 32

kernel void matmul(int M, int N, int K,
                   global const float *A, // [M][K]
                   global const float *B, // [K][N]
                   global float *C)       // [M][N]
{
    const int row = get_global_id(0);
    if (row >= M)
        return;

    for (int k0 = 0; k0 < K; k0 += PIECE) {
        const int length = min(PIECE, K - k0);
        // ---- your lines begin
        for (int column = 0; column < N; column++) {
            float sum = k0 == 0 ? 0.0f : C[row * N + column];
            for (int k = 0; k < length; k++)
                sum += A[row * K + k0 + k] * B[(k0 + k) * N + column];
            C[row * N + column] = sum;
        }
        // ---- your lines end
    }
}
