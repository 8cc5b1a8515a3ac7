// Top-k, stage 2: lists are merged, not elements.
//
// One tree is enough if its nodes are lists: in each step an item merges another's
// eight with its own eight and keeps the best eight. That is 6 steps and 7 barriers
// instead of 64. An item holds its list in registers and only the other's is read
// from local memory.
//
// Lists lie in local memory by place first, [k][item]: neighbouring items touch
// neighbouring words.

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
    local float tile[K][ITEMS];
    local int tile_at[K][ITEMS];
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

    for (int others = ITEMS / 2; others > 0; others /= 2) {
        // Those who will not go on leave their lists.
        if (others <= me && me < 2 * others)
            for (int k = 0; k < K; k++) {
                tile[k][me] = list[k];
                tile_at[k][me] = at[k];
            }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < others)
            for (int k = 0; k < K; k++)
                insert(list, at, tile[k][me + others], tile_at[k][me + others]);
        // No second barrier: the next step writes other items' columns.
    }
    if (me == 0)
        for (int k = 0; k < K; k++) {
            value[row * K + k] = list[k];
            index[row * K + k] = at[k];
        }
}
