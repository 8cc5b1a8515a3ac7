// Exercise 10.2: one request for a tile. C[M][N] = A[M][K] * B[K][N]; A and C are
// row-major, and B comes in panels of 8 columns: panels[N / 8][K][8]. The host pads M,
// N and K to multiples of 8.
//
// A tile of B is 8 rows of a panel, one run of 64 elements. As it stands every item
// carries one of them through a register. Let the group ask for the whole run with
// async_work_group_copy, copy A's tile meanwhile, and wait for B's with
// wait_group_events.

#define PANEL 8

__attribute__((reqd_work_group_size(PANEL, PANEL, 1)))
kernel void matmul(int M, int N, int K,
                   global const float *A,      // [M][K]
                   global const float *panels, // [panels][K][PANEL]
                   global float *C)            // [M][N]
{
    const int x = get_local_id(0), column = get_global_id(0);
    const int y = get_local_id(1), row = get_global_id(1);
    local float a_tile[PANEL][PANEL]; // [row][k]
    local float b_tile[PANEL][PANEL]; // [k][column]
    // The group's panel: [K][PANEL].
    global const float *panel = panels + get_group_id(0) * K * PANEL;

    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += PANEL) {
        // ---- your lines begin
        a_tile[y][x] = A[row * K + k0 + x];
        b_tile[y][x] = panel[(k0 + y) * PANEL + x];
        // ---- your lines end
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < PANEL; k++)
            sum += a_tile[y][k] * b_tile[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[row * N + column] = sum;
}
