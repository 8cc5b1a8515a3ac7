// out = softmax(Q K^T / sqrt(D)) V, for one head. A query is compared with all keys;
// the softmax of the scores says how much of each value it gets. One query for each
// work-item, which computes the scores twice: for their maximum, and for the sums.
#define D 64 // elements of a query, a key and a value

float score(global const float *q, global const float *k)
{
    float sum = 0;
    for (int d = 0; d < D; d++)
        sum += q[d] * k[d];
    return sum / sqrt((float)D);
}

kernel void attention(int n,
                      global const float *Q, // [n][D]
                      global const float *K, // [n][D]
                      global const float *V, // [n][D]
                      global float *out)     // [n][D]
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    float most = -INFINITY;
    for (int j = 0; j < n; j++)
        most = fmax(most, score(Q + i * D, K + j * D));

    float sum = 0, row[D];
    for (int d = 0; d < D; d++)
        row[d] = 0;
    for (int j = 0; j < n; j++) {
        const float weight = exp(score(Q + i * D, K + j * D) - most);
        sum += weight;
        for (int d = 0; d < D; d++)
            row[d] += weight * V[j * D + d];
    }
    for (int d = 0; d < D; d++)
        out[i * D + d] = row[d] / sum;
}
