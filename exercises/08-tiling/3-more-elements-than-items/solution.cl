// Exercise 8.3: a tile larger than its group. C[M][N] = A[M][K] * B[K][N], row-major;
// the host pads M and N to multiples of T, and K to multiples of DEEP.
//
// A group of 8 x 8 items owns 16 x 16 elements of C. The tiles of A and B hold 16 * 8
// elements each, two for every item, and do not have the group's shape. b_tile is
// filled already: the items walk it as one long line. Fill a_tile in the same way.

#define T 16   // side of the group's tile of C
#define DEEP 8 // how deep the tiles are along k
#define ITEMS 64
#if T * T != 4 * ITEMS
#error "ITEMS must be T*T/4: each item has 2 x 2 elements of C"
#endif

__attribute__((reqd_work_group_size(8, 8, 1)))
kernel void matmul(int M, int N, int K,
                   global const float *A, // [M][K]
                   global const float *B, // [K][N]
                   global float *C)       // [M][N]
{
    const int x = get_local_id(0), y = get_local_id(1);
    const int item = 8 * y + x; // 0 .. ITEMS-1
    const int column0 = get_group_id(0) * T, row0 = get_group_id(1) * T;

    local float a_tile[T][DEEP]; // A[row0 ...][k0 ...]
    local float b_tile[DEEP][T]; // B[k0 ...][column0 ...]

    float sum[2][2] = {{0}}; // rows y and y + 8, columns x and x + 8
    for (int k0 = 0; k0 < K; k0 += DEEP) {
        for (int i = item; i < DEEP * T; i += ITEMS)
            b_tile[i / T][i % T] = B[(k0 + i / T) * N + column0 + i % T];
        // ---- your lines begin
        for (int i = item; i < T * DEEP; i += ITEMS)
            a_tile[i / DEEP][i % DEEP] = A[(row0 + i / DEEP) * K + k0 + i % DEEP];
        // ---- your lines end
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < DEEP; k++)
            for (int r = 0; r < 2; r++)
                for (int c = 0; c < 2; c++)
                    sum[r][c] += a_tile[y + 8 * r][k] * b_tile[k][x + 8 * c];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 2; c++)
            C[(row0 + y + 8 * r) * N + column0 + x + 8 * c] = sum[r][c];
}
