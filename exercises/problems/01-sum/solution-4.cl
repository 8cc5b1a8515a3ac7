// Sum, stage 4, for a CPU: a group of one item, which walks through its own part.
//
// A CPU core runs one group at a time, and prefetches what is read in a row. So there
// are a few groups, each with one contiguous part and one item, and the item adds up
// 16 elements at a time: a cache line, and a vector register of a CPU with AVX-512.
// There is no barrier and no local memory. On a GPU this is the slowest stage, since
// a warp has one item of 32.

// The sum of 16 lanes.
float lanes(float16 v)
{
    return (((v.s0 + v.s1) + (v.s2 + v.s3)) + ((v.s4 + v.s5) + (v.s6 + v.s7)))
         + (((v.s8 + v.s9) + (v.sa + v.sb)) + ((v.sc + v.sd) + (v.se + v.sf)));
}

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void sum_parts(int n,
                      global const float *in, // [n]
                      global float *part)     // [groups]
{
    global const float16 *in16 = (global const float16 *)in;
    const int parts = get_num_groups(0), me = get_group_id(0);
    const int lines = n / 16; // whole ones
    // long, since lines * me may be larger than an int.
    const int begin = (long)lines * me / parts, end = (long)lines * (me + 1) / parts;

    float16 sixteen = 0;
    for (int l = begin; l < end; l++)
        sixteen += in16[l];
    float sum = lanes(sixteen);

    if (me == 0)
        for (int i = lines * 16; i < n; i++)
            sum += in[i];
    part[me] = sum;
}

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void sum_all(int parts,
                    global const float *part, // [parts]
                    global float *out)        // [1]
{
    float sum = 0;
    for (int i = 0; i < parts; i++)
        sum += part[i];
    out[0] = sum;
}
