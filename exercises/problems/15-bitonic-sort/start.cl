// Problem 15: sort each row of 1024 keys, the smallest first.

#define KEYS 1024 // of a row

kernel void sort_rows(int rows,
                      global const uint *in, // [rows][KEYS]
                      global uint *out)      // [rows][KEYS], each row ascending
{
}
