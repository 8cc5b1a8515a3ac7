// Exercise 13.4: one loads for all. Items of a sub-group read each other's registers:
// sub_group_broadcast(x, i) gives every item the x of item i. Not every driver has
// sub-groups, so here a group of LANES items stands for one, and `broadcast` does the
// same through local memory.
//
// C[M][N] = A[M][K] * B[K][N], an element for each item; the host pads N and K to
// multiples of LANES. A group's items are all in one row of C. As it stands each of
// them loads the whole row of A. Load each element of it once for the group.

#define LANES 8

// The x of item i, for all items of the group: all must call it.
float broadcast(float x, int i, local float *place)
{
    if (get_local_id(0) == i)
        *place = x;
    barrier(CLK_LOCAL_MEM_FENCE); // it is there
    const float all = *place;
    barrier(CLK_LOCAL_MEM_FENCE); // all have it
    return all;
}

__attribute__((reqd_work_group_size(LANES, 1, 1)))
kernel void matmul_broadcast(int M, int N, int K,
                             global const float *A, // [M][K]
                             global const float *B, // [K][N]
                             global float *C)       // [M][N]
{
    local float place; // for broadcast
    const int lane = get_local_id(0);
    const int column = get_global_id(0), row = get_global_id(1);

    float sum = 0;
    // ---- your lines begin
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + column];
    // ---- your lines end
    C[row * N + column] = sum;
}
