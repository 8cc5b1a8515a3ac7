// Problem 10: out[i] = in[0] + ... + in[i].
//
// Three launches: the total of each group's part; for each part what comes before it;
// and the sums within the parts. The second has one group.

kernel void totals(int n,
                   global const int *in, // [n]
                   global int *total)    // [parts]
{
}

kernel void scan_totals(int parts,
                        global int *total) // [parts]: becomes what is before each part
{
}

kernel void scan(int n,
                 global const int *in,     // [n]
                 global const int *before, // [parts]
                 global int *out)          // [n]
{
}
