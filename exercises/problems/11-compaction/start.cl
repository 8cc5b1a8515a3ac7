// Problem 11: the elements above 0, in their order, to the front of `out`; count[0]
// says how many they are. What lies behind them in `out` must stay.
//
// Three launches: how many each part keeps; how many are kept before each part; and the
// move. The second has one group.

kernel void count_kept(int n,
                       global const float *in, // [n]
                       global int *kept)       // [parts]
{
}

kernel void scan_counts(int parts,
                        global int *kept,  // [parts]: becomes what is kept before
                        global int *count) // [1]
{
}

kernel void move(int n,
                 global const float *in,   // [n]
                 global const int *before, // [parts]
                 global float *out)        // [n]
{
}
