// For each head out = softmax(Q K^T / sqrt(D)) V, from halves. With CAUSAL a query
// looks at the keys up to its own number alone. One query for each work-item, which
// computes the scores twice: for their maximum, and for the sums.

#ifndef CAUSAL
#define CAUSAL 0 // 1: a query looks at keys up to its own number
#endif
#define D 64 // elements of a query, a key and a value

float score(global const half *q, global const half *k)
{
    float sum = 0;
    for (int d = 0; d < D; d++)
        sum += vload_half(d, q) * vload_half(d, k);
    return sum / sqrt((float)D);
}

kernel void attention(int n,
                      global const half *Q, // [heads][n][D]
                      global const half *K, // [heads][n][D]
                      global const half *V, // [heads][n][D]
                      global float *out)    // [heads][n][D]
{
    const int i = get_global_id(0), head = get_global_id(1) * n;
    if (i >= n)
        return;
    const int end = CAUSAL ? i + 1 : n;
    Q += (head + i) * D, K += head * D, V += head * D, out += (head + i) * D;
    float most = -INFINITY;
    for (int j = 0; j < end; j++)
        most = fmax(most, score(Q, K + j * D));

    float sum = 0, row[D];
    for (int d = 0; d < D; d++)
        row[d] = 0;
    for (int j = 0; j < end; j++) {
        const float weight = exp(score(Q, K + j * D) - most);
        sum += weight;
        for (int d = 0; d < D; d++)
            row[d] += weight * vload_half(j * D + d, V);
    }
    for (int d = 0; d < D; d++)
        out[d] = row[d] / sum;
}
