// Attention from halves, stage 3, for a CPU: sixteen queries for each item, sixteen keys
// in a vector.
//
// As stage 4 of problem 17, whose first lines tell why. To make a float of a half takes
// an instruction, so each element of K and V is converted once for all 16 queries.

#ifndef CAUSAL
#define CAUSAL 0 // 1: a query looks at keys up to its own number
#endif
#define D 64       // elements of a query, a key and a value
#define V16 (D / 16)
#define QUERIES 16 // of an item
#define TILE 16    // keys at a time, one in each lane

// The sum of 16 lanes.
float lanes(float16 v)
{
    return (((v.s0 + v.s1) + (v.s2 + v.s3)) + ((v.s4 + v.s5) + (v.s6 + v.s7)))
         + (((v.s8 + v.s9) + (v.sa + v.sb)) + ((v.sc + v.sd) + (v.se + v.sf)));
}

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void attention(int n,
                      global const half *Q, // [heads][n][D]
                      global const half *K, // [heads][n][D]
                      global const half *V, // [heads][n][D]
                      global float *out)    // [heads][n][D]
{
    local float query[QUERIES][D];
    local float16 keys[D];            // [d], a key in each lane
    local float16 values[TILE][V16];
    local float16 row[QUERIES][V16];  // of the result
    float most[QUERIES], sum[QUERIES];
    const int query0 = get_group_id(0) * QUERIES;
    const int end = CAUSAL ? min(n, query0 + QUERIES) : n; // behind the last key
    const int head = get_group_id(1) * n * D;
    Q += head, K += head, V += head, out += head;

    for (int q = 0; q < QUERIES; q++) {
        for (int d = 0; d < D; d++)
            query[q][d] = vload_half(min(query0 + q, n - 1) * D + d, Q) * 0.125f; // 1 / sqrt(D)
        for (int v = 0; v < V16; v++)
            row[q][v] = 0;
        most[q] = -INFINITY;
        sum[q] = 0;
    }

    for (int first = 0; first < end; first += TILE) {
        const int count = min(TILE, n - first); // keys in this tile
        for (int k = 0; k < TILE; k++)
            for (int d = 0; d < D; d++)
                ((local float *)keys)[d * TILE + k] =
                    k < count ? vload_half((first + k) * D + d, K) : 0;
        for (int k = 0; k < count; k++)
            for (int v = 0; v < V16; v++)
                values[k][v] = vload_half16((first + k) * V16 + v, V);

        for (int q0 = 0; q0 < QUERIES; q0 += 4) {
            float16 score[4] = {0, 0, 0, 0};
            for (int d = 0; d < D; d++)
                for (int q = 0; q < 4; q++)
                    score[q] += query[q0 + q][d] * keys[d];

            for (int q = q0; q < q0 + 4; q++) {
                float weight[TILE];
                vstore16(score[q - q0], 0, weight);
                // So many keys of the tile count for this query, one at least.
                const int own = CAUSAL ? min(count, query0 + q - first + 1) : count;
                float now = most[q];
                for (int k = 0; k < own; k++)
                    now = fmax(now, weight[k]);
                for (int k = own; k < TILE; k++)
                    weight[k] = -INFINITY; // behind the last key: exp makes 0 of it
                const float scale = exp(most[q] - now); // of all that was added so far
                const float16 weights = exp(vload16(0, weight) - now);
                vstore16(weights, 0, weight);
                sum[q] = sum[q] * scale + lanes(weights);
                most[q] = now;

                float16 r[V16];
                for (int v = 0; v < V16; v++)
                    r[v] = row[q][v] * scale;
                for (int k = 0; k < own; k++)
                    for (int v = 0; v < V16; v++)
                        r[v] += weight[k] * values[k][v];
                for (int v = 0; v < V16; v++)
                    row[q][v] = r[v];
            }
        }
    }

    for (int q = 0; q < min(QUERIES, n - query0); q++)
        for (int v = 0; v < V16; v++)
            vstore16(row[q][v] / sum[q], (query0 + q) * V16 + v, out);
}
