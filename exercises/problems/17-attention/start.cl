// Problem 17: out[i] = the sum over j of p[i][j] * V[j], where p[i] is the softmax of
// the scores (Q[i] K[j]) / 8 over all j.

#define D 64 // elements of a query, a key and a value

kernel void attention(int n,
                      global const float *Q, // [n][D]
                      global const float *K, // [n][D]
                      global const float *V, // [n][D]
                      global float *out)     // [n][D]
{
}
