// Exercise 11.2: a tile of any shape. C[M][N] = A[M][K] * B[K][N], row-major; the host
// pads M and N to multiples of T, and K to multiples of DEEP.
//
// T and DEEP are parameters. The items copy the tiles in rounds, one element each.
// The number of rounds is right where T * DEEP is a multiple of the number of items,
// and too small elsewhere: with T = 12 and DEEP = 5, 36 items copy 36 of 60
// elements. Copy all.

#ifndef T
#define T 12
#endif
#ifndef DEEP
#define DEEP 5
#endif
#define SIDE (T / 2) // items in a row of the group
#define ITEMS (SIDE * SIDE)
#if T % 2
#error "T must be even: each item has 2 x 2 elements of C"
#endif

__attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
kernel void matmul(int M, int N, int K,
                   global const float *A, // [M][K]
                   global const float *B, // [K][N]
                   global float *C)       // [M][N]
{
    const int x = get_local_id(0), y = get_local_id(1);
    const int item = SIDE * y + x; // 0 .. ITEMS-1
    const int column0 = get_group_id(0) * T, row0 = get_group_id(1) * T;

    local float a_tile[T][DEEP]; // A[row0 ...][k0 ...]
    local float b_tile[DEEP][T]; // B[k0 ...][column0 ...]

    float sum[2][2] = {{0}}; // rows y, y + SIDE; columns x, x + SIDE
    for (int k0 = 0; k0 < K; k0 += DEEP) {
        // ---- your lines begin
        for (int i = item; i < T * DEEP; i += ITEMS) {
            a_tile[i / DEEP][i % DEEP] = A[(row0 + i / DEEP) * K + k0 + i % DEEP];
            b_tile[i / T][i % T] = B[(k0 + i / T) * N + column0 + i % T];
        }
        // ---- your lines end
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < DEEP; k++)
            for (int r = 0; r < 2; r++)
                for (int c = 0; c < 2; c++)
                    sum[r][c] += a_tile[y + SIDE * r][k] * b_tile[k][x + SIDE * c];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 2; c++)
            C[(row0 + y + SIDE * r) * N + column0 + x + SIDE * c] = sum[r][c];
}
