// Top-k, stage 1: a list for each item, and eight rounds.
//
// The row is read once instead of eight times. The items of a group share it; each
// keeps the eight best that it has seen, in registers. Then all bring their best, a
// tree finds the best of these, and the item that it came from goes on to its next:
// eight times.
//
// Nearly all elements are compared with the worst of the list and dropped. What costs
// is the end: eight trees of 6 steps, 64 barriers.

#define K 8
#define ITEMS 64     // in a group
#define NONE INT_MAX // where no element is

// Whether an element comes before another.
bool better(float a, int a_at, float b, int b_at)
{
    return a > b || (a == b && a_at < b_at);
}

// Puts an element into a list of the K best, if it is one of them. It moves down from
// the end, one exchange at a time, in a loop of K steps: unrolled, the list is in
// registers.
void insert(float *list, int *at, float element, int i)
{
    for (int k = 0; k < K; k++) {
        if (better(element, i, list[k], at[k])) {
            const float moved = list[k];
            const int moved_at = at[k];
            list[k] = element;
            at[k] = i;
            element = moved;
            i = moved_at;
        }
    }
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void top_k(int rows, int columns,
                  global const float *in, // [rows][columns]
                  global float *value,    // [rows][K]
                  global int *index)      // [rows][K]
{
    local float tile[ITEMS];
    local int tile_at[ITEMS];
    const int me = get_local_id(0), row = get_group_id(0);
    in += row * columns;

    float list[K];
    int at[K];
    for (int k = 0; k < K; k++) {
        list[k] = -INFINITY;
        at[k] = NONE;
    }
    for (int i = me; i < columns; i += ITEMS)
        if (better(in[i], i, list[K - 1], at[K - 1]))
            insert(list, at, in[i], i);

    for (int k = 0; k < K; k++) {
        tile[me] = list[0];
        tile_at[me] = at[0];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int others = ITEMS / 2; others > 0; others /= 2) {
            const int other = me + others;
            if (me < others
                && better(tile[other], tile_at[other], tile[me], tile_at[me])) {
                tile[me] = tile[other];
                tile_at[me] = tile_at[other];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (at[0] == tile_at[0]) { // it was this item's: its next moves up
            value[row * K + k] = list[0];
            index[row * K + k] = at[0];
            for (int next = 1; next < K; next++) {
                list[next - 1] = list[next];
                at[next - 1] = at[next];
            }
            list[K - 1] = -INFINITY;
            at[K - 1] = NONE;
        }
        barrier(CLK_LOCAL_MEM_FENCE); // nobody reads the tile any longer
    }
}
