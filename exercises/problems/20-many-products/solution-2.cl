// Many products, stage 2: 32 items for each, and no barrier.
//
// An item keeps its column of B in 32 registers, and the 32 items of a warp read four
// elements of A at once, all the same: 1/4 + 1/32 loads for a multiply-add where stage
// 1 has 2.

__attribute__((reqd_work_group_size(32, 1, 1)))
kernel void products(int count,
                     global const float *A, // [count][32][32]
                     global const float *B, // [count][32][32]
                     global float *C)       // [count][32][32]
{
    const int x = get_local_id(0), product = get_group_id(0);
    global const float4 *A4 = (global const float4 *)A + product * 256;
    B += product * 1024 + x;
    C += product * 1024 + x;
    float b[32];
    for (int k = 0; k < 32; k++)
        b[k] = B[k * 32];
    for (int row = 0; row < 32; row++) {
        float sum = 0;
        for (int q = 0; q < 8; q++) {
            const float4 a = A4[row * 8 + q];
            sum += a.s0 * b[4 * q] + a.s1 * b[4 * q + 1];
            sum += a.s2 * b[4 * q + 2] + a.s3 * b[4 * q + 3];
        }
        C[row * 32] = sum;
    }
}
