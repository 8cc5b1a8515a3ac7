// An item computes 8 rows of two vectors, as wide as the CPU's registers, without local
// memory; a group is ROWS / 8 items, one below the other.
#ifndef ROWS // as the host says
#define ROWS 128
#define COLUMNS 16
#define WIDTH 8
#endif
#define GLUE(a, b) a##b
#define CAT(a, b) GLUE(a, b)
#define vector CAT(float, WIDTH)
#define load CAT(vload, WIDTH)
#define store CAT(vstore, WIDTH)
kernel __attribute__((reqd_work_group_size(1, ROWS / 8, 1)))
void matmul(int N, int K, global const float *restrict A,
            global const float *restrict B, global float *restrict C)
{
    const int column0 = get_global_id(0) * COLUMNS, row0 = get_global_id(1) * 8;
    vector sum[8][2];
    #pragma unroll
    for (int r = 0; r < 8; r++)
        sum[r][0] = sum[r][1] = (vector)(0);
    for (int k = 0; k < K; k++) {
        const vector left = load(0, B + k * N + column0);
        const vector right = load(1, B + k * N + column0);
        #pragma unroll
        for (int r = 0; r < 8; r++) {
            const float a = A[(row0 + r) * K + k];
            sum[r][0] += a * left;
            sum[r][1] += a * right;
        }
    }
    #pragma unroll
    for (int r = 0; r < 8; r++) {
        store(sum[r][0], 0, C + (row0 + r) * N + column0);
        store(sum[r][1], 1, C + (row0 + r) * N + column0);
    }
}
