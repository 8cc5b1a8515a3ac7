// Sparse, stage 4, for a CPU: neighbouring rows for each item, and nothing shared.
//
// A core runs one item after the other, so a long row keeps nobody waiting. A group is one
// item with 64 rows, whose elements lie in a row in memory: the core prefetches them. Four
// sums for each row, since one addition would wait for the one before.

#define ROWS 64 // of an item

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void spmv(int rows,
                 global const int *start,   // [rows + 1]
                 global const int *column,  // [start[rows]]
                 global const float *value, // [start[rows]]
                 global const float *x,     // [columns]
                 global float *y)           // [rows]
{
    const int row0 = get_group_id(0) * ROWS;
    for (int row = row0; row < min(row0 + ROWS, rows); row++) {
        const int end = start[row + 1];
        float sum[4] = {0, 0, 0, 0};
        int i = start[row];
        for (; i + 4 <= end; i += 4)
            for (int s = 0; s < 4; s++)
                sum[s] += value[i + s] * x[column[i + s]];
        for (; i < end; i++)
            sum[0] += value[i] * x[column[i]];
        y[row] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}
