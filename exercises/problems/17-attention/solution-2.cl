// Attention, stage 2: tiles of keys and values in local memory, in float4.
//
// The 64 items of a group go through the same keys. They copy 32 keys and values
// together, so global memory is read 64 times less, and load them from local memory
// four elements at a time: a load for each four multiply-adds, instead of one for
// each.
//
// Behind the last key the tile has nothing: the loop over it ends earlier.

#define D 64     // elements of a query, a key and a value
#define D4 (D / 4)
#define ITEMS 64 // in a group: queries
#define TILE 32  // keys and values at a time

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void attention(int n,
                      global const float *Q, // [n][D]
                      global const float *K, // [n][D]
                      global const float *V, // [n][D]
                      global float *out)     // [n][D]
{
    local float4 keys[TILE][D4], values[TILE][D4];
    const int me = get_local_id(0), i = get_global_id(0);
    global const float4 *K4 = (global const float4 *)K;
    global const float4 *V4 = (global const float4 *)V;
    global const float4 *mine = (global const float4 *)Q + min(i, n - 1) * D4;

    float4 q[D4], row[D4];
    for (int d = 0; d < D4; d++) {
        q[d] = mine[d] * 0.125f; // 1 / sqrt(D)
        row[d] = 0;
    }
    float most = -INFINITY, sum = 0;
    for (int first = 0; first < n; first += TILE) {
        const int count = min(TILE, n - first); // keys in this tile
        for (int e = me; e < count * D4; e += ITEMS) {
            keys[e / D4][e % D4] = K4[first * D4 + e];
            values[e / D4][e % D4] = V4[first * D4 + e];
        }
        barrier(CLK_LOCAL_MEM_FENCE); // the tile is there

        for (int j = 0; j < count; j++) {
            float4 part = 0;
            for (int d = 0; d < D4; d++)
                part += q[d] * keys[j][d];
            const float score = (part.x + part.y) + (part.z + part.w);
            if (score > most) {
                const float scale = exp(most - score);
                sum *= scale;
                for (int d = 0; d < D4; d++)
                    row[d] *= scale;
                most = score;
            }
            const float weight = exp(score - most);
            sum += weight;
            for (int d = 0; d < D4; d++)
                row[d] += weight * values[j][d];
        }
        barrier(CLK_LOCAL_MEM_FENCE); // nobody needs it any longer
    }
    if (i < n)
        for (int d = 0; d < D4; d++)
            ((global float4 *)out)[i * D4 + d] = row[d] / sum;
}
