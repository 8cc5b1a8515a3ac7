// Compaction, stage 4, for a CPU: a group of one item for each part.
//
// As in problem 10: a few parts, one item walks through each. Whether an element is
// kept is as good as random, and a branch that a core guesses wrongly costs it some
// 15 cycles. So there is none: every element is stored, and the place moves on only
// if it is kept. The next one overwrites what was not.
//
// A part ends with its last kept element, not with its last element: behind it, a
// store would hit the next part's first place. So the second launch also leaves where
// the last part ends, and `before` has one number more.

// The first element of a part.
int begin(int part, int n)
{
    return (long)n * part / get_num_groups(0);
}

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void count_kept(int n,
                       global const float *in, // [n]
                       global int *kept)       // [groups]
{
    const int part = get_group_id(0);
    const int end = begin(part + 1, n);
    int count = 0;
    for (int i = begin(part, n); i < end; i++)
        count += in[i] > 0;
    kept[part] = count;
}

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void scan_counts(int parts,
                        global int *kept,  // [parts + 1]: becomes what is kept before
                        global int *count) // [1]
{
    int sum = 0;
    for (int i = 0; i < parts; i++) {
        const int mine = kept[i];
        kept[i] = sum;
        sum += mine;
    }
    kept[parts] = sum;
    count[0] = sum;
}

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void move(int n,
                 global const float *in,   // [n]
                 global const int *before, // [groups + 1]
                 global float *out)        // [n]
{
    const int part = get_group_id(0);
    const int last = before[part + 1]; // the place behind the part's own
    int place = before[part];
    for (int i = begin(part, n); place < last; i++) {
        const float element = in[i];
        out[place] = element;
        place += element > 0;
    }
}
