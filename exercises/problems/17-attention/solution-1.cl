// Attention, stage 1: the online softmax, a query for each item.
//
// The scores are computed once. When a larger one comes, what has been added so far
// is too large by exp(new - old) and is scaled down (problem 7). So nothing of size n
// x n exists anywhere: an item keeps a query, a row of the result, the maximum and
// the sum.
//
// 128 floats of an item are more registers than many GPUs give it at full occupancy,
// and each multiply-add loads an element of K or V, the same for all items of a
// group.

#define D 64 // elements of a query, a key and a value

kernel void attention(int n,
                      global const float *Q, // [n][D]
                      global const float *K, // [n][D]
                      global const float *V, // [n][D]
                      global float *out)     // [n][D]
{
    const int i = get_global_id(0);
    if (i >= n)
        return;

    float q[D], row[D];
    for (int d = 0; d < D; d++) {
        q[d] = Q[i * D + d] * 0.125f; // 1 / sqrt(D), once instead of for each score
        row[d] = 0;
    }
    float most = -INFINITY, sum = 0;
    for (int j = 0; j < n; j++) {
        float score = 0;
        for (int d = 0; d < D; d++)
            score += q[d] * K[j * D + d];
        if (score > most) { // seldom, after the first few
            const float scale = exp(most - score);
            sum *= scale;
            for (int d = 0; d < D; d++)
                row[d] *= scale;
            most = score;
        }
        const float weight = exp(score - most);
        sum += weight;
        for (int d = 0; d < D; d++)
            row[d] += weight * V[j * D + d];
    }
    for (int d = 0; d < D; d++)
        out[i * D + d] = row[d] / sum;
}
