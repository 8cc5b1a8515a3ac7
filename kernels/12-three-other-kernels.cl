// Lesson 12: a sum, a histogram and softmax of rows.
//
// Groups have ITEMS items, a power of two. `alone` kernels have groups of one item.

#ifndef ITEMS
#define ITEMS 256
#endif

// Copies of the group's histogram in histogram_copies.
#ifndef COPIES
#define COPIES 8
#endif

// Elements of a row that softmax_kept keeps in local memory.
#ifndef KEPT
#define KEPT 4096
#endif

// ---- A sum. Two launches: a number for each group, then the sum of these numbers.

// The sum over the group of what each item brings: a tree. In each step half of the
// items that are left add another's number to their own, so 256 take 8 steps.
float tree(float mine, local float *tile)
{
    const int me = get_local_id(0);
    tile[me] = mine;
    barrier(CLK_LOCAL_MEM_FENCE); // all have brought theirs

    for (int others = ITEMS / 2; others > 0; others /= 2) {
        if (me < others)
            tile[me] += tile[me + others];
        barrier(CLK_LOCAL_MEM_FENCE); // outside the `if`: all items come to it
    }
    const float all = tile[0];
    barrier(CLK_LOCAL_MEM_FENCE); // all have read it: the tile may be used again
    return all;
}

// One element for each item.
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void sum_tree(int n,
                     global const float *x, // [n]
                     global float *part)    // [groups]
{
    local float tile[ITEMS];
    const int i = get_global_id(0);
    const float sum = tree(i < n ? x[i] : 0.0f, tile);
    if (get_local_id(0) == 0)
        part[get_group_id(0)] = sum;
}

// What an item adds up before the group meets: every element whose number is the
// item's, or larger by a multiple of all items. Neighbours read neighbours.
float share(int n, global const float *x)
{
    float sum = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        sum += x[i];
    return sum;
}

// As many groups as the host says. One group of it is also the second launch.
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void sum_first(int n,
                      global const float *x, // [n]
                      global float *part)    // [groups]
{
    local float tile[ITEMS];
    const float sum = tree(share(n, x), tile);
    if (get_local_id(0) == 0)
        part[get_group_id(0)] = sum;
}

// The items of a sub-group run together, so they need no barrier among themselves. It
// adds up by exchanging registers; only one number of each sub-group goes to local
// memory.
#ifdef SUB_GROUPS
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void sum_sub_groups(int n,
                           global const float *x, // [n]
                           global float *part)    // [groups]
{
    local float tile[ITEMS]; // [sub-groups], of which there are at most ITEMS
    const float sum = sub_group_reduce_add(share(n, x));
    if (get_sub_group_local_id() == 0)
        tile[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE); // all sub-groups have brought theirs

    if (get_local_id(0) == 0) {
        float all = 0;
        for (int s = 0; s < get_num_sub_groups(); s++)
            all += tile[s];
        part[get_group_id(0)] = all;
    }
}
#endif

// The same share, four elements a load, and four such loads in flight.
float wide_share(int n, global const float *x)
{
    global const float4 *x4 = (global const float4 *)x;
    const int fours = n / 4, step = get_global_size(0);
    int q = get_global_id(0);
    float4 sum[4] = {0, 0, 0, 0};
    for (; q + 3 * step < fours; q += 4 * step)
        for (int load = 0; load < 4; load++)
            sum[load] += x4[q + load * step];
    for (; q < fours; q += step)
        sum[0] += x4[q];
    sum[0] += sum[1] + sum[2] + sum[3];

    float all = (sum[0].s0 + sum[0].s1) + (sum[0].s2 + sum[0].s3);
    for (int i = fours * 4 + get_global_id(0); i < n; i += step) // behind the last four
        all += x[i];
    return all;
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void sum_wide(int n,
                     global const float *x, // [n]
                     global float *part)    // [groups]
{
    local float tile[ITEMS];
    const float sum = tree(wide_share(n, x), tile);
    if (get_local_id(0) == 0)
        part[get_group_id(0)] = sum;
}

// NVIDIA's warps exchange registers, too, but its compiler has no sub-groups: by PTX,
// as lesson 13 explains. Each step adds the number of the lane whose number differs in
// a bit.
#ifdef SHUFFLE
float from_lane(float mine, int bit)
{
    float other;
    __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;"
                     : "=f"(other)
                     : "f"(mine), "r"(bit));
    return other;
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void sum_shuffle(int n,
                        global const float *x, // [n]
                        global float *part)    // [groups]
{
    local float tile[ITEMS / 32]; // [warps]
    float sum = wide_share(n, x);
    for (int lanes = 16; lanes > 0; lanes /= 2)
        sum += from_lane(sum, lanes);
    if (get_local_id(0) % 32 == 0)
        tile[get_local_id(0) / 32] = sum;
    barrier(CLK_LOCAL_MEM_FENCE); // all warps have brought theirs

    if (get_local_id(0) == 0) {
        float all = 0;
        for (int warp = 0; warp < ITEMS / 32; warp++)
            all += tile[warp];
        part[get_group_id(0)] = all;
    }
}
#endif

// One launch: each group adds its number to the total. OpenCL C has atomics for
// integers alone, so the sum is exchanged for the old one's bits until nobody came in
// between.
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void sum_atomic(int n,
                       global const float *x, // [n]
                       global float *sum)     // [1], which comes as 0
{
    local float tile[ITEMS];
    const float mine = tree(share(n, x), tile);
    if (get_local_id(0) == 0) {
        volatile global uint *bits = (volatile global uint *)sum;
        uint seen, now = *bits;
        do {
            seen = now;
            now = atomic_cmpxchg(bits, seen, as_uint(as_float(seen) + mine));
        } while (now != seen);
    }
}

// For a CPU: a group of one item reads its own part in a row, 16 elements at a time.
__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void sum_alone(int n,
                      global const float *x, // [n]
                      global float *part)    // [groups]
{
    const int lines = n / 16, parts = get_num_groups(0), me = get_group_id(0);
    const int begin = (long)lines * me / parts, end = (long)lines * (me + 1) / parts;

    float16 sixteen = 0;
    for (int l = begin; l < end; l++)
        sixteen += ((global const float16 *)x)[l];

    float lane[16], sum = 0;
    vstore16(sixteen, 0, lane);
    for (int l = 0; l < 16; l++)
        sum += lane[l];
    if (me == 0) // what is left behind the last 16
        for (int i = lines * 16; i < n; i++)
            sum += x[i];
    part[me] = sum;
}

// ---- A histogram of bytes: count[b] = how many elements are b. It comes full of
// zeros.

// An atomic in global memory for each element.
kernel void histogram_global(int n,
                             global const uchar *in, // [n]
                             global uint *count)     // [256]
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&count[in[i]]);
}

// A histogram for each group in local memory, added to the global one at the end.
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void histogram_local(int n,
                            global const uchar *in, // [n]
                            global uint *count)     // [256]
{
    local uint mine[256];
    for (int bin = get_local_id(0); bin < 256; bin += ITEMS)
        mine[bin] = 0;
    barrier(CLK_LOCAL_MEM_FENCE); // all counters are 0

    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&mine[in[i]]);
    barrier(CLK_LOCAL_MEM_FENCE); // all have counted

    for (int bin = get_local_id(0); bin < 256; bin += ITEMS)
        if (mine[bin] > 0)
            atomic_add(&count[bin], mine[bin]);
}

// COPIES histograms for each group: neighbouring items count in different ones. The
// copies of a bin lie side by side, in different banks.
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void histogram_copies(int n,
                             global const uchar *in, // [n]
                             global uint *count)     // [256]
{
    local uint copies[256 * COPIES]; // [256][COPIES]
    const int copy = get_local_id(0) % COPIES;
    for (int c = get_local_id(0); c < 256 * COPIES; c += ITEMS)
        copies[c] = 0;
    barrier(CLK_LOCAL_MEM_FENCE); // all counters are 0

    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&copies[in[i] * COPIES + copy]);
    barrier(CLK_LOCAL_MEM_FENCE); // all have counted

    for (int bin = get_local_id(0); bin < 256; bin += ITEMS) {
        uint sum = 0;
        for (int c = 0; c < COPIES; c++)
            sum += copies[bin * COPIES + c];
        if (sum > 0)
            atomic_add(&count[bin], sum);
    }
}

// For a CPU: a group of one item shares its counters with nobody, so it needs no
// atomic. Four histograms in turn, since an increment of the same bin waits for the
// one before.
__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void histogram_alone(int n,
                            global const uchar *in, // [n]
                            global uint *count)     // [256]
{
    local uint copies[4][256];
    const int fours = n / 4, parts = get_num_groups(0), me = get_group_id(0);
    const int begin = (long)fours * me / parts, end = (long)fours * (me + 1) / parts;
    for (int bin = 0; bin < 256; bin++)
        for (int c = 0; c < 4; c++)
            copies[c][bin] = 0;

    for (int f = begin; f < end; f++) {
        const uchar4 element = ((global const uchar4 *)in)[f];
        copies[0][element.x]++;
        copies[1][element.y]++;
        copies[2][element.z]++;
        copies[3][element.w]++;
    }
    if (me == 0) // what is left behind the last four
        for (int i = fours * 4; i < n; i++)
            copies[0][in[i]]++;

    for (int bin = 0; bin < 256; bin++)
        atomic_add(&count[bin],
                   copies[0][bin] + copies[1][bin] + copies[2][bin] + copies[3][bin]);
}

// ---- Softmax: each row becomes exp(element - most) / sum. Without the row's largest
// element exp would overflow from 89 on.

// A row for each item, three passes.
kernel void softmax_rows(int rows, int columns,
                         global const float *in, // [rows][columns]
                         global float *out)      // [rows][columns]
{
    const int row = get_global_id(0);
    if (row >= rows)
        return;
    in += row * columns;
    out += row * columns;

    float most = in[0], sum = 0;
    for (int k = 1; k < columns; k++)
        most = fmax(most, in[k]);
    for (int k = 0; k < columns; k++)
        sum += exp(in[k] - most);
    for (int k = 0; k < columns; k++)
        out[k] = exp(in[k] - most) / sum;
}

// The largest of what the items of the group bring: the same tree.
float largest(float mine, local float *tile)
{
    const int me = get_local_id(0);
    tile[me] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int others = ITEMS / 2; others > 0; others /= 2) {
        if (me < others)
            tile[me] = fmax(tile[me], tile[me + others]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float all = tile[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return all;
}

// A row for each group, three passes: neighbours read neighbours.
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void softmax_group(int rows, int columns,
                          global const float *in, // [rows][columns]
                          global float *out)      // [rows][columns]
{
    local float tile[ITEMS];
    const int me = get_local_id(0);
    in += get_group_id(0) * columns;
    out += get_group_id(0) * columns;

    float most = -INFINITY, sum = 0;
    for (int k = me; k < columns; k += ITEMS)
        most = fmax(most, in[k]);
    most = largest(most, tile);
    for (int k = me; k < columns; k += ITEMS)
        sum += exp(in[k] - most);
    sum = tree(sum, tile);
    for (int k = me; k < columns; k += ITEMS)
        out[k] = exp(in[k] - most) / sum;
}

// Maximum and sum in one pass. Where a larger element comes, all that was added so
// far is too large by exp(element - most), and is scaled down.
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void softmax_online(int rows, int columns,
                           global const float *in, // [rows][columns]
                           global float *out)      // [rows][columns]
{
    local float tile[ITEMS];
    const int me = get_local_id(0);
    in += get_group_id(0) * columns;
    out += get_group_id(0) * columns;

    float mine = -INFINITY, sum = 0;
    for (int k = me; k < columns; k += ITEMS) {
        const float element = in[k];
        if (element > mine) { // seldom, after the first few
            sum *= exp(mine - element);
            mine = element;
        }
        sum += exp(element - mine);
    }
    // An item without an element has -INFINITY and 0, and exp(-INFINITY) is 0.
    const float most = largest(mine, tile);
    sum = tree(sum * exp(mine - most), tile);
    for (int k = me; k < columns; k += ITEMS)
        out[k] = exp(in[k] - most) / sum;
}

// Both joined in registers, as far as a sub-group or one of NVIDIA's warps reaches: of
// each one number goes to local memory, and two barriers are left of a tree's ten.
#ifdef SUB_GROUPS
#define LARGEST_OF_WARP(x) sub_group_reduce_max(x)
#define SUM_OF_WARP(x) sub_group_reduce_add(x)
#define LANE get_sub_group_local_id()
#define WARP get_sub_group_id()
#define WARPS get_num_sub_groups()
#endif
#ifdef SHUFFLE
float of_warp(float mine, bool adds)
{
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        const float other = from_lane(mine, lanes);
        mine = adds ? mine + other : fmax(mine, other);
    }
    return mine;
}

#define LARGEST_OF_WARP(x) of_warp(x, false)
#define SUM_OF_WARP(x) of_warp(x, true)
#define LANE (get_local_id(0) % 32)
#define WARP (get_local_id(0) / 32)
#define WARPS (ITEMS / 32)
#endif

#ifdef WARP
float joined(float mine, bool adds, local float *tile)
{
    mine = adds ? SUM_OF_WARP(mine) : LARGEST_OF_WARP(mine);
    if (LANE == 0)
        tile[WARP] = mine;
    barrier(CLK_LOCAL_MEM_FENCE); // all warps have brought theirs

    float all = tile[0];
    for (int w = 1; w < WARPS; w++)
        all = adds ? all + tile[w] : fmax(all, tile[w]);
    barrier(CLK_LOCAL_MEM_FENCE); // all have read it: the tile may be used again
    return all;
}

#define largest(mine, tile) joined(mine, false, tile)
#define tree(mine, tile) joined(mine, true, tile)
#endif

// One read: the row stays in local memory, and each exp is computed once. Of a row
// that is longer than KEPT the rest is read again.
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void softmax_kept(int rows, int columns,
                         global const float *in, // [rows][columns]
                         global float *out)      // [rows][columns]
{
    local float tile[ITEMS];
    local float kept[KEPT]; // the row's beginning; items touch only their own
    const int me = get_local_id(0), near = min(columns, KEPT);
    in += get_group_id(0) * columns;
    out += get_group_id(0) * columns;

    float most = -INFINITY, sum = 0;
    for (int k = me; k < columns; k += ITEMS) {
        const float element = in[k];
        if (k < near)
            kept[k] = element;
        most = fmax(most, element);
    }
    most = largest(most, tile);
    for (int k = me; k < columns; k += ITEMS) {
        const float e = exp((k < near ? kept[k] : in[k]) - most);
        if (k < near)
            kept[k] = e;
        sum += e;
    }
    const float factor = 1 / tree(sum, tile);
    for (int k = me; k < columns; k += ITEMS)
        out[k] = (k < near ? kept[k] : exp(in[k] - most)) * factor;
}

// For a CPU: a row for each item, 16 elements at a time; the row stays in the L1 cache.
__attribute__((reqd_work_group_size(1, 1, 1)))
kernel void softmax_alone(int rows, int columns,
                          global const float *in, // [rows][columns]
                          global float *out)      // [rows][columns]
{
    in += get_group_id(0) * columns;
    out += get_group_id(0) * columns;
    const int whole = columns / 16 * 16; // what lies behind goes one by one

    float lane[16], most = -INFINITY, sum = 0;
    float16 most16 = -INFINITY, sum16 = 0;
    for (int k = 0; k < whole; k += 16)
        most16 = fmax(most16, vload16(0, in + k));
    vstore16(most16, 0, lane);
    for (int l = 0; l < 16; l++)
        most = fmax(most, lane[l]);
    for (int k = whole; k < columns; k++)
        most = fmax(most, in[k]);

    for (int k = 0; k < whole; k += 16) {
        const float16 e = exp(vload16(0, in + k) - most);
        vstore16(e, 0, out + k);
        sum16 += e;
    }
    vstore16(sum16, 0, lane);
    for (int l = 0; l < 16; l++)
        sum += lane[l];
    for (int k = whole; k < columns; k++) {
        out[k] = exp(in[k] - most);
        sum += out[k];
    }
    for (int k = 0; k < columns; k++)
        out[k] /= sum;
}
