// A warp of NVIDIA's in plain OpenCL C, for a kernel that runs on matrix units: what a
// device without them does instead of PTX. What lanes exchange goes through global memory,
// and all items of a group come to each exchange. Places of fragments are the PTX manual's.

#define unrolled_for for // or a compiler takes minutes over the barriers

// What each item of a group shows to the others, by the group: one argument more.
#define attention(...) attention(global uint4 *shown, __VA_ARGS__)
#define load(to, from) load_pieces(shown, to, from)
#define load_transposed(to, from) load_transposed_pieces(shown, to, from)
#define multiply(c, a, b0, b1) multiply_pieces(shown, c, a, b0, b1)
#define across(x, bit) exchange(shown, x, bit)

// This warp's, after all have shown theirs.
global uint4 *exchanged(global uint4 *shown, uint4 mine)
{
    const int group = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    const int warp = (group * get_local_size(1) + get_local_id(1)) * 32;
    barrier(CLK_GLOBAL_MEM_FENCE); // all have read what was shown before
    shown[warp + get_local_id(0)] = mine;
    barrier(CLK_GLOBAL_MEM_FENCE);
    return shown + warp;
}

void copy16(local uint4 *to, global const uint4 *from, bool exist)
{
    *to = exist ? *from : (uint4)0;
}

void await_copies(void)
{
}

// Lane l brings row l % 8 of piece l / 8. Lane 4 g + t gets of each piece two elements.
void load_pieces(global uint4 *shown, uint to[4], local const uint4 *from)
{
    global const uint *rows = (global const uint *)exchanged(shown, *from);
    const int g = get_local_id(0) / 4, t = get_local_id(0) % 4;
    for (int piece = 0; piece < 4; piece++)
        to[piece] = rows[(piece * 8 + g) * 4 + t]; // row g, elements 2 t and 2 t + 1
}

void load_transposed_pieces(global uint4 *shown, uint to[4], local const uint4 *from)
{
    global const ushort *rows = (global const ushort *)exchanged(shown, *from);
    const int g = get_local_id(0) / 4, t = get_local_id(0) % 4;
    for (int piece = 0; piece < 4; piece++) // column g of rows 2 t and 2 t + 1
        to[piece] = rows[(piece * 8 + 2 * t) * 8 + g] |
                    (uint)rows[(piece * 8 + 2 * t + 1) * 8 + g] << 16;
}

// Element k of a row or column whose parts lie in four lanes from 4 g on: k = 2 t and
// 2 t + 1 in register `near`, k = 2 t + 8 and 2 t + 9 in register `far`.
float element(global const uint4 *lanes, int g, int k, int near, int far)
{
    global const uint *lane = (global const uint *)(lanes + 4 * g + k % 8 / 2);
    return vload_half(k % 2, (global const half *)(lane + (k < 8 ? near : far)));
}

void multiply_pieces(global uint4 *shown, float c[4], const uint a[4], uint b0, uint b1)
{
    const int g = get_local_id(0) / 4, t = get_local_id(0) % 4;
    float rows[2][16];
    global const uint4 *lanes = exchanged(shown, (uint4)(a[0], a[1], a[2], a[3]));
    for (int h = 0; h < 2; h++)
        for (int k = 0; k < 16; k++)
            rows[h][k] = element(lanes, g, k, h, h + 2);
    lanes = exchanged(shown, (uint4)(b0, b1, 0, 0));
    for (int e = 0; e < 4; e++) // row g + 8 (e / 2), column 2 t + e % 2
        for (int k = 0; k < 16; k++)
            c[e] += rows[e / 2][k] * element(lanes, 2 * t + e % 2, k, 0, 1);
}

float exchange(global uint4 *shown, float x, int bit)
{
    return as_float(exchanged(shown, (uint4)as_uint(x))[get_local_id(0) ^ bit].x);
}

uint pack(float low, float high)
{
    ushort both[2];
    vstore_half_rte(low, 0, (half *)both);
    vstore_half_rte(high, 1, (half *)both);
    return both[0] | (uint)both[1] << 16;
}

float power(float x)
{
    return exp2(x);
}

#include "../../../exercises/problems/21-attention-halves/solution-2.cl"
