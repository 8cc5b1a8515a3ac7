// Many products, stage 2: 4 x 4 sums for each item.
//
// Eight vectors from local memory serve 64 multiply-adds, where stage 1 reads two
// numbers for each.

__attribute__((reqd_work_group_size(8, 8, 1)))
kernel void products(int count,
                     global const float *A, // [count][32][32]
                     global const float *B, // [count][32][32]
                     global float *C)       // [count][32][32]
{
    local float4 a[32][8], b[32][8]; // [row][k / 4], [k][column / 4]
    const int x = get_local_id(0), y = get_local_id(1), begin = get_group_id(0) * 256;
    global const float4 *A4 = (global const float4 *)A + begin;
    global const float4 *B4 = (global const float4 *)B + begin;
    for (int row = y; row < 32; row += 8) {
        a[row][x] = A4[row * 8 + x];
        b[row][x] = B4[row * 8 + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE); // both matrices are there

    float4 sum[4] = {0}; // row 4 y + r, columns from 4 x on
    for (int q = 0; q < 8; q++) {
        float4 of_b[4];
        for (int k = 0; k < 4; k++)
            of_b[k] = b[4 * q + k][x];
        for (int r = 0; r < 4; r++) {
            const float4 of_a = a[4 * y + r][q];
            sum[r] += of_a.s0 * of_b[0] + of_a.s1 * of_b[1];
            sum[r] += of_a.s2 * of_b[2] + of_a.s3 * of_b[3];
        }
    }
    global float4 *C4 = (global float4 *)C + begin;
    for (int r = 0; r < 4; r++)
        C4[(4 * y + r) * 8 + x] = sum[r];
}
