// Histogram, stage 4, for a CPU: a group of one item needs no atomic.
//
// Nobody else sees the group's counters, so `count++` is right, and an atomic costs a CPU
// many times as much. The item walks through its own part of the input.
//
// Four copies of the histogram, since equal elements follow one another: each increment
// would have to wait for the store of the one before.

#define COPIES 4 // of the histogram

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void histogram(int n,
                      global const uchar *in, // [n]
                      global uint *count)     // [256]
{
    local uint copies[COPIES][256];
    const int parts = get_num_groups(0), me = get_group_id(0);
    const int fours = n / 4;
    // long, since fours * me may be larger than an int.
    const int begin = (long)fours * me / parts, end = (long)fours * (me + 1) / parts;

    for (int bin = 0; bin < 256; bin++)
        for (int c = 0; c < COPIES; c++)
            copies[c][bin] = 0;

    for (int f = begin; f < end; f++) {
        const uchar4 element = ((global const uchar4 *)in)[f];
        copies[0][element.x]++;
        copies[1][element.y]++;
        copies[2][element.z]++;
        copies[3][element.w]++;
    }
    if (me == 0) // the last n % 4
        for (int i = fours * 4; i < n; i++)
            copies[0][in[i]]++;

    // Other groups add to the same global counters: here it takes an atomic.
    for (int bin = 0; bin < 256; bin++)
        atomic_add(&count[bin],
                   copies[0][bin] + copies[1][bin] + copies[2][bin] + copies[3][bin]);
}
