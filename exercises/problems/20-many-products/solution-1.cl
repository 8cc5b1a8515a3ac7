// Many products, stage 1: a group for each, its matrices in local memory.
//
// Each element is read once from global memory. From local memory an item reads two for
// each multiply-add, and so that binds, not global memory.

__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void products(int count,
                     global const float *A, // [count][32][32]
                     global const float *B, // [count][32][32]
                     global float *C)       // [count][32][32]
{
    local float a[32][32], b[32][32];
    const int x = get_local_id(0), y = get_local_id(1), begin = get_group_id(0) * 1024;
    for (int row = y; row < 32; row += 8) {
        a[row][x] = A[begin + row * 32 + x];
        b[row][x] = B[begin + row * 32 + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE); // both matrices are there

    for (int row = y; row < 32; row += 8) {
        float sum = 0;
        for (int k = 0; k < 32; k++)
            sum += a[row][k] * b[k][x];
        C[begin + row * 32 + x] = sum;
    }
}
