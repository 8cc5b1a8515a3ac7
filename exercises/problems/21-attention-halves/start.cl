// Problem 21: for each head out[i] = the sum over j of p[i][j] * V[j], where p[i] is the
// softmax of the scores (Q[i] K[j]) / 8 over all j, with CAUSAL over all j <= i.

#define D 64 // elements of a query, a key and a value

kernel void attention(int n,
                      global const half *Q, // [heads][n][D]
                      global const half *K, // [heads][n][D]
                      global const half *V, // [heads][n][D]
                      global float *out)    // [heads][n][D]
{
}
