// What the parts of a device take, one kernel for each: docs/latency.md shows what
// `cargo xtask machine` measured with them, by the task files beside. They compute
// nothing that anybody needs; what each leaves in `out` shows that it did its work.

// Steps that are written out in each iteration of a loop, so that the loop itself
// counts little.
#define UNROLL 16

// Vectors as wide as a load, or as a register of a CPU.
#ifndef WIDTH
#define WIDTH 1
#endif
#define JOIN_(type, width) type##width
#define JOIN(type, width) JOIN_(type, width)
#if WIDTH == 1
typedef float floatW;
typedef int intW;
#else
typedef JOIN(float, WIDTH) floatW;
typedef JOIN(int, WIDTH) intW;
#endif

// Latency of memory: one item follows a chain of indices through a buffer. Where it
// goes next is known when the load is there, so every load waits for the one before.
// out: where it stands at the end.
kernel void chase(int steps,
                  global const int *next, // [words], a cycle through all lines
                  global int *out)        // [1]
{
    int at = 0;
    for (int i = 0; i < steps; i++)
        at = next[at];
    out[0] = at;
}

// The same in local memory: the items of a warp, each in a bank of its own.
#define WORDS 2048 // 8 KiB
kernel void chase_local(int steps,
                        global int *out) // [items]
{
    local int next[WORDS];
    const int item = get_local_id(0);
    for (int i = item; i < WORDS; i += get_local_size(0))
        next[i] = (i + 33) % WORDS;
    barrier(CLK_LOCAL_MEM_FENCE);

    int at = item;
    for (int i = 0; i < steps; i++)
        at = next[at];
    out[item] = at;
}

// Throughput of memory: every item reads, and no load waits for another. A block is
// what a group reads in one step. Each group has an order of its own: where all had the
// same one, a group would catch up with the one before it, and read what is in the
// cache by then.
#define LOADS 4 // of an item in a step
kernel void sweep(int steps,
                  int blocks,           // a power of two
                  int scatter,          // odd; 1: one block after the other
                  global const int *in, // [blocks][LOADS][items of a group][WIDTH]
                  global int *out)      // [items][WIDTH]
{
    global const intW *vectors = (global const intW *)in;
    const int lanes = get_local_size(0), lane = get_local_id(0);
    const int first = get_group_id(0) * blocks / get_num_groups(0);
    intW sum[LOADS];
    #pragma unroll
    for (int u = 0; u < LOADS; u++)
        sum[u] = 0;

    for (int i = 0; i < steps; i++) {
        const int block = (i * scatter ^ first) & (blocks - 1);
        #pragma unroll
        for (int u = 0; u < LOADS; u++)
            sum[u] += vectors[(block * LOADS + u) * lanes + lane];
    }
    ((global intW *)out)[get_global_id(0)] = sum[0] + sum[1] + sum[2] + sum[3];
}

// Latency and throughput of arithmetic: CHAINS chains of multiply-adds, each of which
// depends on itself alone. A CPU gets vectors as wide as its registers; a GPU's vector
// is the warp.
#ifndef CHAINS
#define CHAINS 1
#endif
kernel void chain(int steps, float factor, float term,
                  global float *out) // [items][WIDTH]
{
    const floatW a = (floatW)(factor), b = (floatW)(term);
    floatW sum[CHAINS];
    #pragma unroll
    for (int c = 0; c < CHAINS; c++)
        sum[c] = (floatW)(c);

    for (int i = 0; i < steps; i += UNROLL)
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            #pragma unroll
            for (int c = 0; c < CHAINS; c++)
                sum[c] = fma(sum[c], a, b);

    floatW all = sum[0];
    #pragma unroll
    for (int c = 1; c < CHAINS; c++)
        all += sum[c];
    ((global floatW *)out)[get_global_id(0)] = all;
}

// Banks of local memory: 32 neighbours read a column of a tile whose rows are ROW words
// long. HIGH of them stand in one column, the next HIGH in the next one.
#ifndef ROW
#define ROW 1
#endif
#ifndef HIGH
#define HIGH 32
#endif
kernel void local_read(int steps,
                       global int *out) // [items]
{
    local int words[WORDS];
    for (int i = get_local_id(0); i < WORDS; i += get_local_size(0))
        words[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);

    const int lane = get_local_id(0) % 32;
    const int first = lane % HIGH * ROW + lane / HIGH;
    int sum = 0;
    for (int i = 0; i < steps; i += UNROLL)
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            sum += words[first + i / UNROLL % 32 + 32 * u];
    out[get_global_id(0)] = sum;
}

// The same with four words an item, as float4 has them; ROW counts vectors.
kernel void local_read_vector(int steps,
                              global int *out) // [items]
{
    local int4 words[WORDS / 4];
    for (int i = get_local_id(0); i < WORDS / 4; i += get_local_size(0))
        words[i] = (int4)(4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3);
    barrier(CLK_LOCAL_MEM_FENCE);

    const int first = get_local_id(0) % 32 * ROW;
    int4 sum = 0;
    for (int i = 0; i < steps; i += UNROLL)
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            sum += words[first + i / UNROLL % 8 + 8 * u];
    out[get_global_id(0)] = sum.x + sum.y + sum.z + sum.w;
}

// Divergence: the bits of `mask` decide which items take which branch. 0: all take the
// second; -1: all take the first, item 0 too because of the + 32; 1: every other item;
// 32: every other warp.
kernel void branch(int steps, int mask, float factor, float term,
                   global float *out) // [items]
{
    const int item = get_global_id(0);
    float x = 0;
    uint n = 0;
    for (int i = 0; i < steps; i += UNROLL)
        if ((item + 32) & mask) {
            #pragma unroll
            for (int u = 0; u < UNROLL; u++)
                x = fma(x, factor, term);
        } else {
            // Of other instructions, so that no compiler makes one branch of the two.
            #pragma unroll
            for (int u = 0; u < UNROLL; u++)
                n = (n ^ mask) * 3 + steps;
        }
    // 16 bits, which a float holds exactly.
    out[item] = x + (n & 0xffff);
}

// What that leaves, by both branches for every item.
kernel void branch_plain(int steps, int mask,
                         global float *out) // [items]
{
    const int item = get_global_id(0);
    uint n = 0;
    for (int i = 0; i < steps; i++)
        n = (n ^ mask) * 3 + steps;
    out[item] = (item + 32) & mask ? steps : n & 0xffff;
}
