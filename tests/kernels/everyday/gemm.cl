// A library's product: its kernels are made by a macro, one for each type and tile.
#define GEMM(TYPE, NAME)                                                                     \
    kernel __attribute__((reqd_work_group_size(TS, TS, 1))) void NAME(                       \
        const int m, const int n, const int k, const TYPE alpha, global const TYPE *restrict a, \
        global const TYPE *restrict b, const TYPE beta, global TYPE *restrict c)             \
    {                                                                                        \
        local TYPE ta[TS][TS], tb[TS][TS];                                                   \
        const int x = get_local_id(0), y = get_local_id(1);                                  \
        const int col = get_global_id(0), row = get_global_id(1);                            \
        TYPE sum = 0;                                                                        \
        for (int p = 0; p < k; p += TS) {                                                    \
            ta[y][x] = row < m && p + x < k ? a[row * k + p + x] : 0;                        \
            tb[y][x] = p + y < k && col < n ? b[(p + y) * n + col] : 0;                      \
            barrier(CLK_LOCAL_MEM_FENCE);                                                    \
            for (int q = 0; q < TS; q++)                                                     \
                sum += ta[y][q] * tb[q][x];                                                  \
            barrier(CLK_LOCAL_MEM_FENCE);                                                    \
        }                                                                                    \
        if (row < m && col < n)                                                              \
            c[row * n + col] = alpha * sum + beta * c[row * n + col];                        \
    }
GEMM(float, sgemm)
GEMM(int, igemm)
