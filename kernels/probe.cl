// Two probes of the device's own limits, against which the lessons' kernels are
// measured. They compute nothing that anybody needs.

// How many multiply-adds can the device do? Eight chains of float16, each
// depending only on itself: a multiply-add takes a few cycles to finish, and
// independent chains let the next ones start meanwhile. On a GPU a float16 is
// 16 independent scalars; on a CPU with 512-bit vectors it is one register.
//
// out: one float per item, written so that the compiler cannot drop the loop.
kernel void probe_fma(int rounds, float factor,
                      global float *out) // [items]
{
    const int item = get_global_id(0);
    const float16 a = (float16)(factor);
    const float16 b = (float16)(1.0f - factor);
    float16 c0 = (float16)(item), c1 = c0 + 1, c2 = c0 + 2, c3 = c0 + 3;
    float16 c4 = c0 + 4, c5 = c0 + 5, c6 = c0 + 6, c7 = c0 + 7;

    for (int i = 0; i < rounds; i++) {
        c0 = fma(c0, a, b);
        c1 = fma(c1, a, b);
        c2 = fma(c2, a, b);
        c3 = fma(c3, a, b);
        c4 = fma(c4, a, b);
        c5 = fma(c5, a, b);
        c6 = fma(c6, a, b);
        c7 = fma(c7, a, b);
    }

    const float16 sum = c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7;
    const float8 eight = sum.lo + sum.hi;
    const float4 four = eight.lo + eight.hi;
    const float2 two = four.lo + four.hi;
    out[item] = two.x + two.y;
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
