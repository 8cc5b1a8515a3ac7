// Attention from halves, stage 1: problem 17's tiles in registers, for any device.
//
// A half becomes a float on its way into local memory. From there on all is as in stage
// 3 of problem 17, whose first lines tell why. Memory holds half of the bytes, but
// arithmetic binds, so that gains little. Dimension 0 of the groups counts the heads.
//
// With CAUSAL the keys behind a group's last query are left out, and of the others those
// behind an item's own query have no weight.

#ifndef CAUSAL
#define CAUSAL 0 // 1: a query looks at keys up to its own number
#endif
#define D 64 // elements of a query, a key and a value
#define D4 (D / 4)
#define X 8     // items of a row of the group
#define Y 16    // rows of the group
#define TILE 32 // queries of a group; also keys and values at a time

// The sum of four lanes.
float lanes(float4 v)
{
    return (v.x + v.y) + (v.z + v.w);
}

// Copies TILE rows of D elements from row `first` on; behind the last row are zeros.
void copy(local float4 (*tile)[D4 + 1], global const half *from, int first, int n)
{
    const int me = get_local_id(1) * X + get_local_id(0);
    for (int e = me; e < TILE * D4; e += X * Y) {
        const int row = first + e / D4;
        tile[e / D4][e % D4] =
            row < n ? vload_half4(row * D4 + e % D4, from) : (float4)0;
    }
}

__attribute__((reqd_work_group_size(X, Y, 1)))
kernel void attention(int n,
                      global const half *Q, // [heads][n][D]
                      global const half *K, // [heads][n][D]
                      global const half *V, // [heads][n][D]
                      global float *out)    // [heads][n][D]
{
    local float4 queries[TILE][D4 + 1];
    local float4 pairs[TILE][D4 + 1];    // keys, and after them their values
    local float weights[TILE][TILE + 1]; // [query][key]
    local float largest[TILE][X];        // of a query's scores, by item
    const int x = get_local_id(0), y = get_local_id(1);
    const int query0 = get_group_id(1) * TILE;
    const int end = CAUSAL ? min(n, query0 + TILE) : n; // behind the last key
    const int head = get_group_id(0) * n * D;
    Q += head, K += head, V += head, out += head;

    copy(queries, Q, query0, n);
    float most[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
    float4 row[2][2]; // columns 4 x .. and 4 (x + 8) .. of the two queries
    for (int q = 0; q < 2; q++)
        row[q][0] = row[q][1] = 0;

    for (int first = 0; first < end; first += TILE) {
        copy(pairs, K, first, n);
        barrier(CLK_LOCAL_MEM_FENCE); // the keys are there

        // The scores of keys x, x + 8, x + 16 and x + 24.
        float score[2][4];
        for (int j = 0; j < 4; j++) {
            float4 part[2] = {0, 0};
            for (int d = 0; d < D4; d++) {
                const float4 key = pairs[x + j * X][d];
                part[0] += queries[y][d] * key;
                part[1] += queries[y + Y][d] * key;
            }
            const int k = first + x + j * X;
            for (int q = 0; q < 2; q++) {
                const bool counts = k < n && (!CAUSAL || k <= query0 + y + q * Y);
                score[q][j] = counts ? 0.125f * lanes(part[q]) : -INFINITY;
            }
        }
        for (int q = 0; q < 2; q++)
            largest[y + q * Y][x] =
                fmax(fmax(score[q][0], score[q][1]), fmax(score[q][2], score[q][3]));
        barrier(CLK_LOCAL_MEM_FENCE); // the maxima are there, and nobody needs the keys

        copy(pairs, V, first, n);
        for (int q = 0; q < 2; q++) {
            float now = most[q];
            for (int other = 0; other < X; other++)
                now = fmax(now, largest[y + q * Y][other]);
            const float scale = exp(most[q] - now); // of all that was added so far
            sum[q] *= scale;
            row[q][0] *= scale;
            row[q][1] *= scale;
            most[q] = now;
            for (int j = 0; j < 4; j++)
                weights[y + q * Y][x + j * X] = exp(score[q][j] - now);
        }
        barrier(CLK_LOCAL_MEM_FENCE); // the weights and the values are there

        for (int k = 0; k < TILE; k++) {
            const float4 value[2] = {pairs[k][x], pairs[k][x + X]};
            for (int q = 0; q < 2; q++) {
                const float weight = weights[y + q * Y][k];
                sum[q] += weight; // each item of the row for itself
                row[q][0] += weight * value[0];
                row[q][1] += weight * value[1];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE); // nobody needs weights or values any longer
    }

    for (int q = 0; q < 2; q++) {
        const int i = query0 + y + q * Y;
        if (i < n) {
            ((global float4 *)out)[i * D4 + x] = row[q][0] / sum[q];
            ((global float4 *)out)[i * D4 + x + X] = row[q][1] / sum[q];
        }
    }
}
