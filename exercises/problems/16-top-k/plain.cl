// The eight largest elements of each row and where they stand, the largest first; of
// equal ones the leftmost first. `columns` is at least 8. One row for each work-item,
// which looks for the best element behind the one that it found last.
#define K 8

kernel void top_k(int rows, int columns,
                  global const float *in, // [rows][columns]
                  global float *value,    // [rows][K]
                  global int *index)      // [rows][K]
{
    const int row = get_global_id(0);
    if (row >= rows)
        return;
    in += row * columns;

    float last = INFINITY;
    int last_at = -1;
    for (int k = 0; k < K; k++) {
        float best = -INFINITY;
        int best_at = columns;
        for (int i = 0; i < columns; i++) {
            const bool is_behind = in[i] < last || (in[i] == last && i > last_at);
            if (is_behind && (in[i] > best || best_at == columns)) {
                best = in[i];
                best_at = i;
            }
        }
        value[row * K + k] = last = best;
        index[row * K + k] = last_at = best_at;
    }
}
