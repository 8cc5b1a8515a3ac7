// out[0] = the sum of all elements, one after the other, by one work-item.
//
// `lost` is what the last addition rounded away (Kahan's sum). Without it ten million
// additions would lose the last three digits, and a reference must not.
kernel void sum(int n,
                global const float *in, // [n]
                global float *out)      // [1]
{
    float sum = 0, lost = 0;
    for (int i = 0; i < n; i++) {
        const float next = in[i] - lost;
        const float bigger = sum + next;
        lost = (bigger - sum) - next;
        sum = bigger;
    }
    out[0] = sum;
}
