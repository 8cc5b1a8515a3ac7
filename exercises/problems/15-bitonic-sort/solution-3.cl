// Bitonic sort, stage 3: two steps for each visit to local memory.
//
// Four keys at low, low + d, low + 2 d and low + 3 d hold both pairs of the step with
// distance 2 d and both of the step with distance d. An item loads them, does the two
// steps in registers, and stores them. So two steps cost one load and one store of a
// key, and one barrier. A run with an odd number of steps begins with a single one.
//
//     barriers for 1024 keys    56    ->    31

#define KEYS 1024        // of a row
#define ITEMS (KEYS / 4) // in a group: four keys for each

// Puts the smaller of two keys first, or the larger.
void exchange(uint *a, uint *b, bool up)
{
    const uint small = min(*a, *b), large = max(*a, *b);
    *a = up ? small : large;
    *b = up ? large : small;
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void sort_rows(int rows,
                      global const uint *in, // [rows][KEYS]
                      global uint *out)      // [rows][KEYS], each row ascending
{
    local uint key[KEYS];
    const int me = get_local_id(0);
    in += get_group_id(0) * KEYS;
    out += get_group_id(0) * KEYS;

    for (int k = me; k < KEYS; k += ITEMS)
        key[k] = in[k];
    barrier(CLK_LOCAL_MEM_FENCE); // the row is there

    int steps = 1; // of this run
    for (int run = 2; run <= KEYS; run *= 2, steps++) {
        int distance = run / 2;
        if (steps % 2 == 1) {
            for (int pair = me; pair < KEYS / 2; pair += ITEMS) {
                const int low = 2 * pair - pair % distance;
                uint a = key[low], b = key[low + distance];
                exchange(&a, &b, (low & run) == 0);
                key[low] = a;
                key[low + distance] = b;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            distance /= 2;
        }
        for (; distance > 0; distance /= 4) {
            const int d = distance / 2; // of the second of the two steps
            const int low = 4 * me - 3 * (me % d);
            const bool up = (low & run) == 0;
            uint a = key[low], b = key[low + d];
            uint c = key[low + 2 * d], e = key[low + 3 * d];
            exchange(&a, &c, up);
            exchange(&b, &e, up);
            exchange(&a, &b, up);
            exchange(&c, &e, up);
            key[low] = a;
            key[low + d] = b;
            key[low + 2 * d] = c;
            key[low + 3 * d] = e;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }

    for (int k = me; k < KEYS; k += ITEMS)
        out[k] = key[k];
}
