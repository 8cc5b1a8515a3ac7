// Kernels of which a check may say too much or too little; the task files beside say which.

typedef struct { float x, y, z, dx, dy, dz; } body;

kernel void whole_groups(global const float *x, global float *y)
{
    const int i = get_global_id(0);
    y[i] = 2 * x[i];
}

kernel void pairs(int n, global const float *x, global float *y)
{
    const int i = 2 * get_global_id(0);
    if (i + 1 < n) {
        y[i] = x[i];
        y[i + 1] = x[i + 1];
    }
}

kernel void rows_for_columns(int rows, int cols, global const float *x, global float *y)
{
    const int col = get_global_id(0), row = get_global_id(1);
    if (row < rows && col < cols)
        y[row * cols + col] = x[row * rows + col];
}

kernel void halo(int n, global const float *x, global float *y)
{
    local float tile[34];
    const int i = get_global_id(0), me = get_local_id(0);
    if (i < n)
        tile[me + 1] = x[i];
    if (me == 0)
        tile[0] = i > 0 ? x[i - 1] : 0;
    if (me == 31)
        tile[33] = i + 1 < n ? x[i + 1] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        y[i] = tile[me] + tile[me + 1] + tile[me + 2];
}

kernel void square(int n, global const int *x, global long *y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = x[i] * x[i];
}

kernel void maximum(int n, global const float *x, global float *y)
{
    float most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, x[i]);
    y[0] = most;
}

kernel void running_sum(int n, global const float *x, global float *y)
{
    float sum = 0;
    for (int i = 0; i < n; i++) {
        sum += fabs(x[i]);
        y[i] = i == 0 ? 1.01f * sum : sum;
    }
}

kernel void two_sums(int n, global const float *x, global float *y)
{
    float even = 0, odd = 0;
    for (int i = 0; i < n; i += 2)
        even += x[i];
    for (int i = 1; i < n; i += 2)
        odd += x[i];
    y[0] = even + odd;
}

kernel void twenty_steps(int n, global const float *x, global float *y)
{
    const int i = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < 20 && i < n; k++)
        sum += 0.1f * x[i];
    if (i < n)
        y[i] = sum;
}

kernel void modulo(int n, global const short *x, global short *y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = x[i] % 5;
}

kernel void velocity(int n, global body *b)
{
    const int i = get_global_id(0);
    if (i < n) {
        b[i].x += b[i].dx;
        b[i].y += b[i].dy;
    }
}

kernel void softmax(int n, global const float *x, global float *y)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += exp(x[i]);
    for (int i = 0; i < n; i++)
        y[i] = exp(x[i]) / sum;
}

kernel void unscaled(int n, float alpha, global const float *x, global float *y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = x[i];
}

kernel void from_two(int n, global const float *x, global float *y)
{
    float most = x[0] > x[1] ? x[0] : x[1];
    for (int i = 2; i < n; i++)
        most = fmax(most, x[i]);
    y[0] = most;
}

kernel void last_largest(int n, global const float *x, global int *y)
{
    int at = 0;
    for (int i = 1; i < n; i++)
        at = x[i] >= x[at] ? i : at;
    y[0] = at;
}

// The mean is taken backwards: where all numbers are equal, only roundings are left of y.
kernel void normed(int n, global const float *x, global float *y)
{
    float sum = 0, squares = 0;
    for (int i = n - 1; i >= 0; i--)
        sum += x[i];
    for (int i = n - 1; i >= 0; i--)
        squares += (x[i] - sum / n) * (x[i] - sum / n);
    for (int i = 0; i < n; i++)
        y[i] = (x[i] - sum / n) * native_rsqrt(squares / n);
}

kernel void scaled(int n, float alpha, global const float *x, global float *y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = alpha * x[i];
}

// The first group clears what all add to, and nobody waits for it.
kernel void cleared_by_first(int n, global const int *x, global int *total)
{
    const int i = get_group_id(0);
    volatile int busy = 0;
    while (i > 0 && busy < 20000)
        busy++;
    if (i == 0)
        atomic_xchg(total, 0);
    atomic_add(total, i < n ? x[i] : 0);
}

// Which group is the last one an atomic says, in any order.
kernel void last_block(int n, global const int *x, volatile global int *part,
    volatile global int *done, global int *total)
{
    const int i = get_group_id(0), groups = get_num_groups(0);
    part[i] = i < n ? x[i] : 0;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (atomic_inc(done) < groups - 1)
        return;
    int sum = 0;
    for (int j = 0; j < groups; j++)
        sum += part[j];
    total[0] = sum;
}

// Nothing above 0 is the least.
kernel void least(int n, global const int *x, global int *y)
{
    int found = 0;
    for (int i = 0; i < n; i++)
        found = min(found, x[i]);
    y[0] = found;
}

// A product whose sums are cut off, far above what random operands come to.
kernel void product_clamped(int M, int N, int K, const global float *A, const global float *B,
                            global float *C)
{
    const int j = get_global_id(0), i = get_global_id(1);
    if (i >= M || j >= N)
        return;
    float s = 0;
    for (int k = 0; k < K; k++)
        s += A[i * K + k] * B[k * N + j];
    C[i * N + j] = fmin(s, 1000.0f);
}

// All zeros are their own squares, too.
kernel void times_17(int n, global const float *x, global float *y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = 17 * x[i];
}

// One operation an element, and off by more than that.
kernel void third(int n, global const float *x, global float *y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = 0.3333f * x[i];
}

kernel void left(int n, global const float *x, global float *y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = i > 0 ? x[i - 1] : 0;
}

// What is infinite is no 7.
kernel void clipped_log(int n, global const float *x, global float *y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = x[i] > 0 ? log(x[i]) : 7;
}

// The last group takes the remainder, which is 0 where all are whole.
kernel void rest_of_groups(int n, global const float *x, global float *y)
{
    const int i = get_global_id(0), is_last = get_group_id(0) + 1 == get_num_groups(0);
    if ((int)get_local_id(0) < (is_last ? n % 50 : 50))
        y[i] = x[i];
}

kernel void least_from_1000(int n, global const float *x, global float *y)
{
    float found = 1000;
    for (int i = 0; i < n; i++)
        found = fmin(found, x[i]);
    y[0] = found;
}

// One that is equal to the limit is not above it.
kernel void not_below(int n, float limit, global const float *x, global int *y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = x[i] > limit;
}

kernel void exchanged(int n, float alpha, float beta, global const float *x, global float *y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = beta * x[i] + alpha;
}

kernel void mean_of_five(int n, int radius, global const float *x, global float *y)
{
    const int i = get_global_id(0);
    float sum = 0;
    for (int j = i - radius; j <= i + radius; j++)
        sum += x[clamp(j, 0, n - 1)];
    if (i < n)
        y[i] = sum / 5;
}

// Of large numbers that are near one another hardly a digit is left.
kernel void variance(int n, global const float *x, global float *y)
{
    float sum = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    y[0] = squares / n - sum / n * (sum / n);
}

kernel void count(int n, global const float *x, global int *y)
{
    ushort found = 0;
    for (int i = 0; i < n; i++)
        found += x[i] > 0;
    y[0] = found;
}

// Two terms that may cancel, in other terms than the reference's.
kernel void mixed(int n, float t, global const float *x, global const float *z, global float *y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = x[i] + t * (z[i] - x[i]);
}

kernel void through_local(int n, global const float *x, global float *y, local float *tile)
{
    const int i = get_global_id(0);
    tile[get_local_id(0)] = i < n ? x[i] : 0;
    if (i < n)
        y[i] = tile[get_local_id(0)];
}
