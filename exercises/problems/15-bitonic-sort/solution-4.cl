// Sorting rows, stage 4, for a CPU: a radix sort, a row for each item.
//
// The network makes 55 x 512 comparisons for 1024 keys, since all items must do the
// same. An item that works alone may look at the data. Four times it sorts by eight
// bits, the lowest first: it counts how often each of 256 values occurs, makes places
// of the counts, and moves each key to the place of its value. A move keeps the order
// of equal values, so what earlier passes have sorted stays sorted.
//
//     10 loads and 6 stores of a key, and no comparison
//
// Two copies of the row in local memory take turns as source and goal.

#define KEYS 1024 // of a row

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void sort_rows(int rows,
                      global const uint *in, // [rows][KEYS]
                      global uint *out)      // [rows][KEYS], each row ascending
{
    local uint a[KEYS], b[KEYS];
    local uint place[256];
    in += get_group_id(0) * KEYS;
    out += get_group_id(0) * KEYS;

    for (int k = 0; k < KEYS; k++)
        a[k] = in[k];
    for (int shift = 0; shift < 32; shift += 8) {
        local uint *from = shift % 16 == 0 ? a : b;
        local uint *to = shift % 16 == 0 ? b : a;

        for (int v = 0; v < 256; v++)
            place[v] = 0;
        for (int k = 0; k < KEYS; k++)
            place[from[k] >> shift & 255]++;
        uint sum = 0; // of the counts before
        for (int v = 0; v < 256; v++) {
            const uint count = place[v];
            place[v] = sum;
            sum += count;
        }
        for (int k = 0; k < KEYS; k++)
            to[place[from[k] >> shift & 255]++] = from[k];
    }
    for (int k = 0; k < KEYS; k++)
        out[k] = a[k];
}
