// Problem 1: out[0] = the sum of in[0] .. in[n - 1].
//
// Two launches. The first leaves one number for each group, the second adds them up.

kernel void sum_parts(int n,
                      global const float *in, // [n]
                      global float *part)     // [groups of this launch]
{
}

kernel void sum_all(int parts,
                    global const float *part, // [parts]
                    global float *out)        // [1]
{
}
