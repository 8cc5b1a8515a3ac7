// Layer norm, stage 4, for a CPU: a row for each item, sixteen elements at a time.
//
// The row stays in the L1 cache between its three passes, so only the first one costs
// bandwidth. Each is a loop over vectors of a cache line, without a barrier. The
// variance is made of differences to the mean, as in stages 1 and 3.

#define EPSILON 1e-5f

// The sum of 16 lanes.
float lanes(float16 v)
{
    return (((v.s0 + v.s1) + (v.s2 + v.s3)) + ((v.s4 + v.s5) + (v.s6 + v.s7)))
         + (((v.s8 + v.s9) + (v.sa + v.sb)) + ((v.sc + v.sd) + (v.se + v.sf)));
}

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void layer_norm(int rows, int columns,
                       global const float *in,    // [rows][columns]
                       global const float *scale, // [columns]
                       global const float *shift, // [columns]
                       global float *out)         // [rows][columns]
{
    in += get_group_id(0) * columns;
    out += get_group_id(0) * columns;
    const int whole = columns / 16 * 16; // what lies behind goes one by one

    float16 sum16 = 0;
    for (int k = 0; k < whole; k += 16)
        sum16 += vload16(0, in + k);
    float sum = lanes(sum16);
    for (int k = whole; k < columns; k++)
        sum += in[k];
    const float mean = sum / columns;

    float16 squares16 = 0;
    for (int k = 0; k < whole; k += 16) {
        const float16 moved = vload16(0, in + k) - mean;
        squares16 += moved * moved;
    }
    float squares = lanes(squares16);
    for (int k = whole; k < columns; k++)
        squares += (in[k] - mean) * (in[k] - mean);
    const float slope = rsqrt(squares / columns + EPSILON);

    for (int k = 0; k < whole; k += 16) {
        const float16 moved = vload16(0, in + k) - mean;
        const float16 scaled = moved * slope * vload16(0, scale + k);
        vstore16(scaled + vload16(0, shift + k), 0, out + k);
    }
    for (int k = whole; k < columns; k++)
        out[k] = (in[k] - mean) * slope * scale[k] + shift[k];
}
