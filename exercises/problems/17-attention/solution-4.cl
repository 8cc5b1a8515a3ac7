// Attention, stage 4, for a CPU: sixteen queries for each item, sixteen keys in a vector.
//
// A group is one item. It goes through the keys 16 at a time and turns these round, so that
// element d of 16 keys is one vector: a query's scores with all 16 come from 64
// multiply-adds of vectors, and no lanes need be added up. One exp serves 16 scores. The
// result takes four vectors for each key. Turning the keys round is paid for by 16 queries.
//
// Four queries are compared at once: their sums do not wait for each other, and a vector of
// keys is loaded once for four multiply-adds.

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
                      global const float *Q, // [n][D]
                      global const float *K, // [n][D]
                      global const float *V, // [n][D]
                      global float *out)     // [n][D]
{
    local float query[QUERIES][D];
    local float16 keys[D];            // [d], a key in each lane
    local float16 row[QUERIES][V16];  // of the result
    float most[QUERIES], sum[QUERIES];
    const int query0 = get_group_id(0) * QUERIES;

    for (int q = 0; q < QUERIES; q++) {
        for (int d = 0; d < D; d++)
            query[q][d] = Q[min(query0 + q, n - 1) * D + d] * 0.125f; // 1 / sqrt(D)
        for (int v = 0; v < V16; v++)
            row[q][v] = 0;
        most[q] = -INFINITY;
        sum[q] = 0;
    }

    for (int first = 0; first < n; first += TILE) {
        const int count = min(TILE, n - first); // keys in this tile
        for (int k = 0; k < TILE; k++)
            for (int d = 0; d < D; d++)
                ((local float *)keys)[d * TILE + k] = k < count ? K[(first + k) * D + d] : 0;

        for (int q0 = 0; q0 < QUERIES; q0 += 4) {
            float16 score[4] = {0, 0, 0, 0};
            for (int d = 0; d < D; d++)
                for (int q = 0; q < 4; q++)
                    score[q] += query[q0 + q][d] * keys[d];

            for (int q = q0; q < q0 + 4; q++) {
                float weight[TILE];
                vstore16(score[q - q0], 0, weight);
                float now = most[q];
                for (int k = 0; k < count; k++)
                    now = fmax(now, weight[k]);
                for (int k = count; k < TILE; k++)
                    weight[k] = -INFINITY; // behind the last key: exp makes 0 of it
                const float scale = exp(most[q] - now); // of all that was added so far
                const float16 weights = exp(vload16(0, weight) - now);
                vstore16(weights, 0, weight);
                sum[q] = sum[q] * scale + lanes(weights);
                most[q] = now;

                float16 r[V16];
                for (int v = 0; v < V16; v++)
                    r[v] = row[q][v] * scale;
                for (int k = 0; k < count; k++)
                    for (int v = 0; v < V16; v++)
                        r[v] += weight[k] * vload16((first + k) * V16 + v, V);
                for (int v = 0; v < V16; v++)
                    row[q][v] = r[v];
            }
        }
    }

    for (int q = 0; q < min(QUERIES, n - query0); q++)
        for (int v = 0; v < V16; v++)
            vstore16(row[q][v] / sum[q], (query0 + q) * V16 + v, out);
}
