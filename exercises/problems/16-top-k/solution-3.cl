// Top-k, stage 3: four elements, one test.
//
// After the first few hundred elements hardly one is good enough. An item loads four
// at a time and asks once whether any of them is larger than the worst of its list.
// Most steps are then a load of 16 bytes, a comparison of a vector and one branch.
//
// An item sees its elements from left to right, so an equal one comes later and is not
// better: `>` alone is right here.

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
    // A row begins at a multiple of 16 bytes only if `columns` is a multiple of 4.
    const bool aligned = columns % 4 == 0;
    for (int i = 4 * me; i + 4 <= columns; i += 4 * ITEMS) {
        const float4 e =
            aligned ? ((global const float4 *)in)[i / 4] : vload4(0, in + i);
        if (any(e > list[K - 1]) || at[K - 1] == NONE) {
            insert(list, at, e.x, i);
            insert(list, at, e.y, i + 1);
            insert(list, at, e.z, i + 2);
            insert(list, at, e.w, i + 3);
        }
    }
    // The last columns % 4 elements.
    const int rest = columns / 4 * 4 + me;
    if (rest < columns)
        insert(list, at, in[rest], rest);

    for (int others = ITEMS / 2; others > 0; others /= 2) {
        if (others <= me && me < 2 * others)
            for (int k = 0; k < K; k++) {
                tile[k][me] = list[k];
                tile_at[k][me] = at[k];
            }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < others)
            for (int k = 0; k < K; k++)
                insert(list, at, tile[k][me + others], tile_at[k][me + others]);
    }
    if (me == 0)
        for (int k = 0; k < K; k++) {
            value[row * K + k] = list[k];
            index[row * K + k] = at[k];
        }
}
