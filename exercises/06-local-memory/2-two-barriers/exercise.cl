// Exercise 6.2: two barriers. C[M][N] = A[M][K] * B[K][N], row-major.
//
// Each item copies one element of A and one of B into the tiles, then adds up TS
// products from them. Items do not run in step: as it stands, one may read an
// element that nobody has copied yet, or overwrite one that another still needs.
// Fix both, with two barriers in each iteration along k and no more.

#define TS 8

__attribute__((reqd_work_group_size(TS, TS, 1)))
kernel void matmul_tiled(int M, int N, int K,
                         global const float *A, // [M][K]
                         global const float *B, // [K][N]
                         global float *C)       // [M][N]
{
    const int x = get_local_id(0), column = get_global_id(0);
    const int y = get_local_id(1), row = get_global_id(1);

    local float a_tile[TS][TS]; // A[row ...][k0 ...]
    local float b_tile[TS][TS]; // B[k0 ...][column ...]

    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += TS) {
        a_tile[y][x] = row < M && k0 + x < K ? A[row * K + k0 + x] : 0.0f;
        b_tile[y][x] = k0 + y < K && column < N ? B[(k0 + y) * N + column] : 0.0f;

        // ---- your lines begin
        for (int k = 0; k < TS; k++)
            sum += a_tile[y][k] * b_tile[k][x];
        // ---- your lines end
    }
    if (row < M && column < N)
        C[row * N + column] = sum;
}
