// Prefix sum, stage 4, for a CPU: a group of one item for each part.
//
// There are a few parts, as many as cores or a little more, and one item walks
// through each: no barrier, no local memory, one addition for each element. The first
// launch adds up 16 elements at a time, since for a total the order does not matter.
//
// The scan itself depends on the element before, so it is one addition after the other.
// That is about one element a cycle and enough: memory brings fewer.

// The first element of a part; parts are whole cache lines.
int begin(int part, int n)
{
    const int lines = (n + 15) / 16;
    return min((int)((long)lines * part / get_num_groups(0)) * 16, n);
}

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void totals(int n,
                   global const int *in, // [n]
                   global int *total)    // [groups]
{
    const int part = get_group_id(0);
    const int first = begin(part, n), end = begin(part + 1, n);
    const int whole = first + (end - first) / 16 * 16;

    int16 sixteen = 0;
    for (int i = first; i < whole; i += 16)
        sixteen += ((global const int16 *)in)[i / 16];
    int lane[16], sum = 0;
    vstore16(sixteen, 0, lane);
    for (int l = 0; l < 16; l++)
        sum += lane[l];
    for (int i = whole; i < end; i++)
        sum += in[i];
    total[part] = sum;
}

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void scan_totals(int parts,
                        global int *total) // [parts]: becomes what is before each part
{
    int sum = 0;
    for (int i = 0; i < parts; i++) {
        const int mine = total[i];
        total[i] = sum;
        sum += mine;
    }
}

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void scan(int n,
                 global const int *in,     // [n]
                 global const int *before, // [groups]
                 global int *out)          // [n]
{
    const int part = get_group_id(0);
    const int end = begin(part + 1, n);
    int sum = before[part];
    for (int i = begin(part, n); i < end; i++) {
        sum += in[i];
        out[i] = sum;
    }
}
