// Histogram, stage 3: eight private copies, and sixteen elements a load.
//
// Neighbouring items count in different copies. If all of them meet the same bin, as
// they do in a picture with a white margin, 32 items queue for eight counters instead
// of one. The copies of a bin lie side by side, so they are in different banks, too.
// The price is local memory, 8 KiB, and a sum over the copies at the end.
//
// A load of one byte keeps a load unit as busy as one of 16. And an item that sees
// sixteen elements in a row counts equal neighbours in a register: a run costs one
// atomic. Among random bytes there is hardly a run; of a constant input 16 elements
// are one atomic.

#define ITEMS 256 // in a group: one for each bin
#define COPIES 8  // of the histogram

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void histogram(int n,
                      global const uchar *in, // [n]
                      global uint *count)     // [256]
{
    local uint copies[256][COPIES];
    const int me = get_local_id(0);
    const int copy = me % COPIES;

    for (int c = 0; c < COPIES; c++)
        copies[me][c] = 0;
    barrier(CLK_LOCAL_MEM_FENCE); // all counters are 0

    for (int p = get_global_id(0); p < n / 16; p += get_global_size(0)) {
        uchar element[16];
        vstore16(((global const uchar16 *)in)[p], 0, element);
        uint run = 1; // elements like this one, up to here
        for (int e = 0; e < 16; e++) {
            if (e < 15 && element[e] == element[e + 1]) {
                run++;
            } else {
                atomic_add(&copies[element[e]][copy], run);
                run = 1;
            }
        }
    }
    // The last n % 16 elements.
    if (get_group_id(0) == 0 && me < n % 16)
        atomic_inc(&copies[in[n / 16 * 16 + me]][copy]);
    barrier(CLK_LOCAL_MEM_FENCE); // all have counted

    uint sum = 0;
    for (int c = 0; c < COPIES; c++)
        sum += copies[me][c];
    if (sum > 0)
        atomic_add(&count[me], sum);
}
