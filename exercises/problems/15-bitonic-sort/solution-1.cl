// Bitonic sort, stage 1: the network, in global memory.
//
// A network of comparisons sorts without looking at the data, so all items do the
// same. For `run` = 2, 4, ... 1024, runs of this length are sorted, every second one
// downwards; two such neighbours are together up and down, which is called bitonic.
// To sort a bitonic run, compare keys that lie half of it apart, then a quarter, and
// so on down to 1:
//
//     run  2: distance 1
//     run  4: distance 2 1
//     run  8: distance 4 2 1      ... 1 + 2 + ... + 10 = 55 steps for 1024 keys
//
// In each step 512 items compare and exchange one pair each. A pair is loaded from
// global memory and stored there, 55 times; a barrier stands between the steps.

#define KEYS 1024        // of a row
#define ITEMS (KEYS / 4) // in a group; each has two pairs

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void sort_rows(int rows,
                      global const uint *in, // [rows][KEYS]
                      global uint *out)      // [rows][KEYS], each row ascending
{
    const int me = get_local_id(0);
    in += get_group_id(0) * KEYS;
    out += get_group_id(0) * KEYS;

    for (int k = me; k < KEYS; k += ITEMS)
        out[k] = in[k];
    barrier(CLK_GLOBAL_MEM_FENCE); // what others wrote to global memory is there

    for (int run = 2; run <= KEYS; run *= 2)
        for (int distance = run / 2; distance > 0; distance /= 2) {
            for (int pair = me; pair < KEYS / 2; pair += ITEMS) {
                // Pairs are numbered without their upper halves: a 0 is put in between.
                const int low = 2 * pair - pair % distance;
                const int high = low + distance;
                const bool up = (low & run) == 0;
                const uint a = out[low], b = out[high];
                if ((a > b) == up) {
                    out[low] = b;
                    out[high] = a;
                }
            }
            barrier(CLK_GLOBAL_MEM_FENCE);
        }
}
