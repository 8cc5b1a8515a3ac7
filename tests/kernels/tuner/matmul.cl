// C = A * B, square matrices; a group has a tile of TS x TS in local memory.
#ifndef TS
#define TS 8
#endif

__attribute__((reqd_work_group_size(TS, TS, 1)))
kernel void matmul(global float *C, global const float *A, global const float *B, int n)
{
    local float a[TS][TS], b[TS][TS];
    const int x = get_local_id(0), y = get_local_id(1);
    const int column = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TS) {
        a[y][x] = row < n && k0 + x < n ? A[row * n + k0 + x] : 0.0f;
        b[y][x] = k0 + y < n && column < n ? B[(k0 + y) * n + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TS; k++)
            sum += a[y][k] * b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < n && column < n)
        C[row * n + column] = sum;
}
