// Exercise 12.3: two sums, one tree. Of each row the sum and the sum of squares. Two
// walks and two trees: one of each is enough.

#define ITEMS 64

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void moments(int columns,
                    global const float *A, // [rows][columns]
                    global float *sums,    // [rows]
                    global float *squares) // [rows]
{
    const int me = get_local_id(0), row = get_group_id(0);
    // ---- your lines begin
    local float tile[ITEMS];
    for (int power = 1; power <= 2; power++) {
        float sum = 0;
        for (int k = me; k < columns; k += ITEMS) {
            const float a = A[row * columns + k];
            sum += power == 1 ? a : a * a;
        }
        tile[me] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int others = ITEMS / 2; others > 0; others /= 2) {
            if (me < others)
                tile[me] += tile[me + others];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (me == 0)
            (power == 1 ? sums : squares)[row] = tile[0];
    }
    // ---- your lines end
}
