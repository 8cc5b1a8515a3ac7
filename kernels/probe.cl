// Probes of the device's own limits, against which the lessons' kernels are
// measured. They compute nothing that anybody needs.

// How many multiply-adds can the device do? CHAINS chains of vectors, each depending
// only on itself: a multiply-add takes a few cycles to finish, and independent chains
// let the next ones start meanwhile. On a CPU a vector is one register, as wide as the
// host says, and all chains with a and b must fit its 16 or 32 registers. On a GPU a
// float16 is 16 independent scalars.
//
// out: one float per item, written so that the compiler cannot drop the loop.
#ifndef WIDTH
#define WIDTH 16 // floats of a vector: 4, 8 or 16
#endif
#ifndef CHAINS
#define CHAINS 8
#endif
#define JOIN_(type, width) type##width
#define JOIN(type, width) JOIN_(type, width)
#define floatW JOIN(float, WIDTH)

kernel void probe_fma(int rounds, float factor,
                      global float *out) // [items]
{
    const int item = get_global_id(0);
    const floatW a = (floatW)(factor);
    const floatW b = (floatW)(1.0f - factor);
    floatW c[CHAINS];
    #pragma unroll
    for (int chain = 0; chain < CHAINS; chain++)
        c[chain] = (floatW)(item + chain);

    for (int i = 0; i < rounds; i++)
        #pragma unroll
        for (int chain = 0; chain < CHAINS; chain++)
            c[chain] = fma(c[chain], a, b);

    floatW sum = c[0];
    #pragma unroll
    for (int chain = 1; chain < CHAINS; chain++)
        sum += c[chain];
    float lanes[WIDTH];
    JOIN(vstore, WIDTH)(sum, 0, lanes);
    float all = 0;
    for (int lane = 0; lane < WIDTH; lane++)
        all += lanes[lane];
    out[item] = all;
}

// What is copied: numbers without any order, so that no memory keeps them in less room.
kernel void probe_noise(int n,
                        global uint4 *out) // [n]
{
    const int i = get_global_id(0);
    uint4 bits = ((uint4)(0, 1, 2, 3) + 4 * (uint)i) * 0x9E3779B9u;
    bits = (bits ^ bits >> 16) * 0x85EBCA6Bu;
    bits = (bits ^ bits >> 13) * 0xC2B2AE35u;
    // Floats below 2.
    if (i < n)
        out[i] = (bits ^ bits >> 16) & 0xBFFFFFFFu;
}

// How fast can memory be copied? Neighbouring items move neighbouring 16 bytes:
// the widest access that every device has, in the order that every device likes.
kernel void probe_copy(int n,
                       global const float4 *from, // [n]
                       global float4 *to)         // [n]
{
    const int i = get_global_id(0);
    if (i < n)
        to[i] = from[i];
}
