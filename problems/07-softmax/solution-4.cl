// Softmax, stage 4, for a CPU: a row for each item, sixteen elements at a time.
//
// A row of 4096 floats is 16 KiB, and stays in the L1 cache of 32 or 48: the passes
// after the first one cost no bandwidth. What binds on a CPU is exp. So it is
// computed once for each element, 16 at a time, and its result kept where it must go
// anyway: in `out`. The last pass only multiplies.
//
// No barrier, no local memory, no tree but the one over 16 lanes.

// The largest of 16 lanes, and their sum.
float largest(float16 v)
{
    const float8 eight = fmax(v.lo, v.hi);
    const float4 four = fmax(eight.lo, eight.hi);
    return fmax(fmax(four.x, four.y), fmax(four.z, four.w));
}

float added(float16 v)
{
    const float8 eight = v.lo + v.hi;
    const float4 four = eight.lo + eight.hi;
    return (four.x + four.y) + (four.z + four.w);
}

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void softmax(int rows, int columns,
                    global const float *in, // [rows][columns]
                    global float *out)      // [rows][columns]
{
    in += get_group_id(0) * columns;
    out += get_group_id(0) * columns;
    const int whole = columns / 16 * 16; // what lies behind goes one by one

    float16 most16 = -INFINITY;
    for (int k = 0; k < whole; k += 16)
        most16 = fmax(most16, vload16(0, in + k));
    float most = largest(most16);
    for (int k = whole; k < columns; k++)
        most = fmax(most, in[k]);

    float16 sum16 = 0;
    for (int k = 0; k < whole; k += 16) {
        const float16 e = exp(vload16(0, in + k) - most);
        vstore16(e, 0, out + k);
        sum16 += e;
    }
    float sum = added(sum16);
    for (int k = whole; k < columns; k++) {
        out[k] = exp(in[k] - most);
        sum += out[k];
    }

    const float share = 1 / sum;
    for (int k = 0; k < whole; k += 16)
        vstore16(vload16(0, out + k) * share, 0, out + k);
    for (int k = whole; k < columns; k++)
        out[k] *= share;
}
