// Many products, stage 3, for a CPU: a product for each item, a row of C in two
// vectors.
//
// 12 KiB lie in the L1 cache. Four rows at a time use what was loaded of B four times.

#define unrolled_for _Pragma("unroll") for // a loop that the compiler writes out

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void products(int count,
                     global const float *A, // [count][32][32]
                     global const float *B, // [count][32][32]
                     global float *C)       // [count][32][32]
{
    const int product = get_group_id(0);
    A += product * 1024;
    global const float16 *B16 = (global const float16 *)B + product * 64;
    global float16 *C16 = (global float16 *)C + product * 64;
    for (int row = 0; row < 32; row += 4) {
        float16 sum[4][2];
        unrolled_for (int r = 0; r < 4; r++)
            sum[r][0] = sum[r][1] = 0;
        for (int k = 0; k < 32; k++)
            unrolled_for (int r = 0; r < 4; r++) {
                sum[r][0] += A[(row + r) * 32 + k] * B16[k * 2];
                sum[r][1] += A[(row + r) * 32 + k] * B16[k * 2 + 1];
            }
        for (int r = 0; r < 4; r++) {
            C16[(row + r) * 2] = sum[r][0];
            C16[(row + r) * 2 + 1] = sum[r][1];
        }
    }
}
