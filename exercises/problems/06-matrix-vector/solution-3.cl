// Matrix-vector, stage 3: a row for each item again, for a CPU.
//
// A CPU core runs a group's items one after the other, or side by side in the lanes
// of a vector, and fetches a cache line of 16 floats whatever it uses of it. So an
// item walks along its row 16 elements at a time: it uses the whole line at once, and
// the 16 sums do not wait for each other. No local memory, no barrier, no tree but
// the one at the end.
//
// A group is one item, so that the driver does not run several rows in the lanes.

// The sum of 16 lanes.
float lanes(float16 v)
{
    return (((v.s0 + v.s1) + (v.s2 + v.s3)) + ((v.s4 + v.s5) + (v.s6 + v.s7)))
         + (((v.s8 + v.s9) + (v.sa + v.sb)) + ((v.sc + v.sd) + (v.se + v.sf)));
}

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void matvec(int rows, int columns,
                   global const float *A, // [rows][columns]
                   global const float *x, // [columns]
                   global float *y)       // [rows]
{
    const int row = get_global_id(0);
    global const float *a = A + row * columns;

    float16 sixteen = 0;
    int k = 0;
    for (; k + 16 <= columns; k += 16)
        sixteen += vload16(0, a + k) * vload16(0, x + k);

    float sum = lanes(sixteen);
    for (; k < columns; k++)
        sum += a[k] * x[k];
    y[row] = sum;
}
