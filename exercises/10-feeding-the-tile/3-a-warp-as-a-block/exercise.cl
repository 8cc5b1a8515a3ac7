// Exercise 10.3: a warp as a block. C[M][N] = A[M][K] * B[K][N], row-major; the host
// pads M to a multiple of 4, N to one of 32 and K to one of 8.
//
// Groups are 32 items in a line, each computes one element of C. As it stands a group
// owns 32 columns of one row: for 8 steps of k it reads 1 sector of A and 8 times 4
// sectors of B. Let it own a block of 4 rows and 8 columns: 4 sectors of A, and 8 times
// 1 of B. There are as many groups as before, N / 32 in a row of them.

kernel void matmul(int M, int N, int K,
                   global const float *A, // [M][K]
                   global const float *B, // [K][N]
                   global float *C)       // [M][N]
{
    const int item = get_local_id(0); // 0 .. 31
    const int group = get_group_id(1) * get_num_groups(0) + get_group_id(0);

    // ---- your lines begin
    const int row = group / (N / 32);
    const int column = group % (N / 32) * 32 + item;
    // ---- your lines end

    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 8) {
        const float8 eight = vload8(0, A + row * K + k0);
        float a[8];
        vstore8(eight, 0, a);
        for (int k = 0; k < 8; k++)
            sum += a[k] * B[(k0 + k) * N + column];
    }
    C[row * N + column] = sum;
}
