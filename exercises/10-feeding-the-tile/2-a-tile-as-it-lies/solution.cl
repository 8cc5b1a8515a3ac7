// Exercise 10.2: a tile as it lies. C[M][N] = A[M][K] * B[K][N]; A and C are row-major,
// and B comes in panels of 16 columns: panels[N / 16][K][16]. The host pads M, N and K
// to multiples of 16.
//
// A group of 16 x 4 items computes a tile of 16 x 16, an item 4 elements of a column.
// A tile of B is 16 rows of a panel: one run of 256 elements, in local memory as well.
// As it stands an item copies 4 of them in four loads. Let it copy 4 in one.

#define PANEL 16
#define STEP 4 // rows of items

__attribute__((reqd_work_group_size(PANEL, STEP, 1)))
kernel void matmul(int M, int N, int K,
                   global const float *A,      // [M][K]
                   global const float *panels, // [panels][K][PANEL]
                   global float *C)            // [M][N]
{
    const int x = get_local_id(0), y = get_local_id(1);
    const int item = y * PANEL + x; // 0 .. 63
    const int row0 = get_group_id(1) * PANEL, column0 = get_group_id(0) * PANEL;
    // The group's panel: [K][PANEL].
    global const float *panel = panels + get_group_id(0) * K * PANEL;

    local float a_tile[PANEL][PANEL]; // [row][k]
    local float b_tile[PANEL][PANEL]; // [k][column]
    float sum[4] = {0, 0, 0, 0};      // rows row0 + y + s * STEP
    for (int k0 = 0; k0 < K; k0 += PANEL) {
        for (int s = 0; s < 4; s++)
            a_tile[y + s * STEP][x] = A[(row0 + y + s * STEP) * K + k0 + x];
        // ---- your lines begin
        vstore4(vload4(item, panel + k0 * PANEL), item, &b_tile[0][0]);
        // ---- your lines end
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < PANEL; k++)
            for (int s = 0; s < 4; s++)
                sum[s] += a_tile[y + s * STEP][k] * b_tile[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int s = 0; s < 4; s++)
        C[(row0 + y + s * STEP) * N + column0 + x] = sum[s];
}
