// Bitonic sort, stage 2: the row in local memory.
//
// It is copied in, sorted, and copied out. Global memory moves each key once in either
// direction instead of 55 times, and 4 KiB of local memory do. The barriers stay.

#define KEYS 1024        // of a row
#define ITEMS (KEYS / 4) // in a group; each has two pairs

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

    for (int run = 2; run <= KEYS; run *= 2)
        for (int distance = run / 2; distance > 0; distance /= 2) {
            for (int pair = me; pair < KEYS / 2; pair += ITEMS) {
                const int low = 2 * pair - pair % distance;
                const int high = low + distance;
                const bool up = (low & run) == 0;
                const uint a = key[low], b = key[high];
                if ((a > b) == up) {
                    key[low] = b;
                    key[high] = a;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }

    for (int k = me; k < KEYS; k += ITEMS)
        out[k] = key[k];
}
