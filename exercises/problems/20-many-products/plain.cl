// C[p] = A[p] B[p] for many products of 32 x 32 x 32. One element for each work-item.
kernel void products(int count,
                     global const float *A, // [count][32][32]
                     global const float *B, // [count][32][32]
                     global float *C)       // [count][32][32]
{
    const int i = get_global_id(0);
    if (i >= count * 1024)
        return;
    const int product = i / 1024, row = i / 32 % 32, column = i % 32;
    A += product * 1024 + row * 32;
    B += product * 1024 + column;
    float sum = 0;
    for (int k = 0; k < 32; k++)
        sum += A[k] * B[k * 32];
    C[i] = sum;
}
