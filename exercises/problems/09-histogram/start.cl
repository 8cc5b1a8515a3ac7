// Problem 9: count[b] = the number of elements of `in` that are b. It comes full of
// zeros.

kernel void histogram(int n,
                      global const uchar *in, // [n]
                      global uint *count)     // [256]
{
}
