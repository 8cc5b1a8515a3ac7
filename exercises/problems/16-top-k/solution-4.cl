// Top-k, stage 4, for a CPU: a row for each item, sixteen elements in one test.
//
// The row is read in a row, a cache line at a time. One comparison of a vector says
// whether any of the 16 elements is larger than the worst of the list, and after the
// first few hundred hardly one is. There is one list for the whole row, so there are
// far fewer insertions than in 64 lists, and nothing to merge.

#define K 8
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

__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void top_k(int rows, int columns,
                  global const float *in, // [rows][columns]
                  global float *value,    // [rows][K]
                  global int *index)      // [rows][K]
{
    const int row = get_group_id(0);
    in += row * columns;

    float list[K];
    int at[K];
    for (int k = 0; k < K; k++) {
        list[k] = -INFINITY;
        at[k] = NONE;
    }
    int i = 0;
    for (; i + 16 <= columns; i += 16) {
        const float16 e = vload16(0, in + i);
        if (any(e > list[K - 1]) || at[K - 1] == NONE)
            for (int lane = 0; lane < 16; lane++)
                insert(list, at, in[i + lane], i + lane);
    }
    for (; i < columns; i++)
        insert(list, at, in[i], i);

    for (int k = 0; k < K; k++) {
        value[row * K + k] = list[k];
        index[row * K + k] = at[k];
    }
}
