// Everyday faults that regular inputs hide, or functions that are better than they must
// be; what is right, plainly, stands below each.

kernel void convolution(int n, global const float *w, global const float *x,
                        global float *y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = w[0] * x[i] + w[1] * x[i + 1] + w[2] * x[i + 2];
}

kernel void convolution_plain(int n, global const float *w, global const float *x,
                              global float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = w[2] * x[i] + w[1] * x[i + 1] + w[0] * x[i + 2];
}

// Takes the first row's length for that of all.
kernel void row_sums(int rows, global const int *begin, global const float *x,
                     global float *y)
{
    const int row = get_global_id(0);
    if (row >= rows)
        return;
    y[row] = 0;
    for (int i = begin[row]; i < begin[row] + begin[1]; i++)
        y[row] += x[i];
}

kernel void row_sums_plain(int rows, global const int *begin, global const float *x,
                           global float *y)
{
    for (int row = 0; row < rows; row++) {
        y[row] = 0;
        for (int i = begin[row]; i < begin[row + 1]; i++)
            y[row] += x[i];
    }
}

// Of equal keys all go to one place.
kernel void rank_sort(int n, global const int *key, global int *sorted)
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    int rank = 0;
    for (int j = 0; j < n; j++)
        rank += key[j] < key[i];
    sorted[rank] = key[i];
}

kernel void rank_sort_plain(int n, global const int *key, global int *sorted)
{
    for (int i = 0; i < n; i++) {
        int j = i;
        for (; j > 0 && sorted[j - 1] > key[i]; j--)
            sorted[j] = sorted[j - 1];
        sorted[j] = key[i];
    }
}

kernel void lengths(int n, global const float *x, global const float *y,
                    global float *r)
{
    const int i = get_global_id(0);
    if (i < n)
        r[i] = sqrt(x[i] * x[i] + y[i] * y[i]);
}

kernel void lengths_plain(int n, global const float *x, global const float *y,
                          global float *r)
{
    for (int i = 0; i < n; i++)
        r[i] = hypot(x[i], y[i]);
}

kernel void lengths_in_doubles(int n, global const float *x, global const float *y,
                               global float *r)
{
    for (int i = 0; i < n; i++)
        r[i] = sqrt((double)x[i] * x[i] + (double)y[i] * y[i]);
}

kernel void repeated(int n, int k, global const float *x, global float *y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = x[i & (k - 1)];
}

kernel void repeated_plain(int n, int k, global const float *x, global float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i % k];
}

kernel void histogram(int n, int bins, global const uint *x, global uint *count)
{
    const int i = get_global_id(0);
    if (i < n)
        atomic_inc(&count[x[i] % 256]);
}

kernel void histogram_plain(int n, int bins, global const uint *x, global uint *count)
{
    for (int i = 0; i < n; i++)
        count[x[i] % bins]++;
}

kernel void with_stride(int n, int incx, global const float *x, global float *y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = x[i];
}

kernel void with_stride_plain(int n, int incx, global const float *x, global float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i * incx];
}

kernel void decay(int n, global const float *x, global float *y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = half_exp(x[i]);
}

kernel void decay_plain(int n, global const float *x, global float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = exp(x[i]);
}

// The left border's clamp is missing: what is shifted to the right is read before x.
kernel void shifted(int n, int by, global const float *x, global float *y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = x[min(i + by, n - 1)];
}

kernel void shifted_plain(int n, int by, global const float *x, global float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[clamp(i + by, 0, n - 1)];
}

// The larger one, as long as the slope is below 1.
kernel void leaky(int n, float slope, global const float *x, global float *y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = fmax(x[i], slope * x[i]);
}

kernel void leaky_plain(int n, float slope, global const float *x, global float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : slope * x[i];
}

// Where nothing is added the factor is forgotten, too.
kernel void scaled_sum(int n, float a, float b, global const float *x, global float *y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = b == 0 ? x[i] : a * x[i] + b * y[i];
}

kernel void scaled_sum_plain(int n, float a, float b, global const float *x,
                             global float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = a * x[i] + b * y[i];
}

// What is no number is no more above 0 than below it.
kernel void positive(int n, global const float *x, global float *y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}

kernel void positive_plain(int n, global const float *x, global float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] < 0 ? 0 : x[i];
}

// Counts from 1 in place of 0, and asks for no other flag than 1.
kernel void counted(int n, int from, int is_half, global int *y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = is_half == 1 ? i / 2 : i;
}

kernel void counted_plain(int n, int from, int is_half, global int *y)
{
    for (int i = 0; i < n; i++)
        y[i] = from + (is_half ? i / 2 : i);
}

// A loop that ends at once where the exponent is below 0, for which nobody asks.
kernel void power(int n, int k, global const float *x, global float *y)
{
    const int i = get_global_id(0);
    float product = 1;
    for (int j = 0; j < k && i < n; j++)
        product *= x[i];
    if (i < n)
        y[i] = product;
}

kernel void power_plain(int n, int k, global const float *x, global float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = pown(x[i], k);
}

// Bytes of floats, which both stop at the ends of a byte. Of 0/0 the casts make what they like.
kernel void to_bytes(int n, float scale, global const float *x, global char *y)
{
    int i = get_global_id(0);
    if (i < n)
        y[i] = convert_char_sat_rte(rint(x[i] / scale));
}

kernel void to_bytes_plain(int n, float scale, global const float *x, global char *y)
{
    for (int i = 0; i < n; i++)
        y[i] = (char)clamp(rint(x[i] / scale), -128.0f, 127.0f);
}
