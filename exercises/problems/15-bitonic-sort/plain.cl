// Sorts each row of 1024 keys. A key's place is the number of keys that come before it:
// smaller ones, and equal ones that stand further left. One key for each work-item.
#define KEYS 1024 // of a row

kernel void sort_rows(int rows,
                      global const uint *in, // [rows][KEYS]
                      global uint *out)      // [rows][KEYS], each row ascending
{
    const int me = get_global_id(0) % KEYS;
    const int row = get_global_id(0) / KEYS;
    if (row >= rows)
        return;
    in += row * KEYS;
    const uint key = in[me];
    int place = 0;
    for (int k = 0; k < KEYS; k++)
        place += in[k] < key || (in[k] == key && k < me);
    out[row * KEYS + place] = key;
}
