// Exercise 6.4: sums of columns. The sum of each column of A[M][N]. Eight items of a
// group share each column; bring their shares together in local memory.

#define ITEMS 8 // that share a column

__attribute__((reqd_work_group_size(32, ITEMS, 1)))
kernel void column_sums(int M, int N,
                        global const float *A, // [M][N]
                        global float *sums)    // [N]
{
    const int x = get_local_id(0), y = get_local_id(1);
    const int column = get_global_id(0);
    float sum = 0; // the share of this item: rows y, y + ITEMS, ...
    if (column < N)
        for (int row = y; row < M; row += ITEMS)
            sum += A[row * N + column];
    // ---- your lines begin
    local float part[ITEMS][32];
    part[y][x] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (y == 0 && column < N) {
        for (int other = 1; other < ITEMS; other++)
            sum += part[other][x];
        sums[column] = sum;
    }
    // ---- your lines end
}
