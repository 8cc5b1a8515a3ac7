// Softmax, stage 4, for a CPU: a row for each item, sixteen elements at a time.
//
// A row of 4096 floats is 16 KiB, and stays in the L1 cache of 32 or 48: the passes
// after the first one cost no bandwidth. What binds on a CPU is exp. So it is
// computed once for each element, 16 at a time, and its result kept where it must go
// anyway: in `out`. The last pass only multiplies.
//
// No barrier, no local memory, no tree but the one over 16 lanes.

// The sum of 16 lanes.
float added(float16 v)
{
    return (((v.s0 + v.s1) + (v.s2 + v.s3)) + ((v.s4 + v.s5) + (v.s6 + v.s7)))
         + (((v.s8 + v.s9) + (v.sa + v.sb)) + ((v.sc + v.sd) + (v.se + v.sf)));
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
    float lane[16];
    vstore16(most16, 0, lane);
    float most = -INFINITY;
    for (int l = 0; l < 16; l++)
        most = fmax(most, lane[l]);
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
