// What is right, plainly.

typedef struct { float x, y, z, dx, dy, dz; } body;

kernel void halo(int n, global const float *x, global float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = (i > 0 ? x[i - 1] : 0) + x[i] + (i + 1 < n ? x[i + 1] : 0);
}

kernel void square(int n, global const int *x, global long *y)
{
    for (int i = 0; i < n; i++)
        y[i] = (long)x[i] * x[i];
}

kernel void maximum(int n, global const float *x, global float *y)
{
    y[0] = x[0];
    for (int i = 1; i < n; i++)
        y[0] = fmax(y[0], x[i]);
}

kernel void running_sum(int n, global const float *x, global float *y)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        y[i] = sum += fabs(x[i]);
}

kernel void two_sums(int n, global const float *x, global float *y)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    y[0] = sum;
}

// Leaves elements unwritten that are 0.
kernel void modulo(int n, global const short *x, global short *y)
{
    for (int i = 0; i < n; i++)
        if (x[i] % 5 != 0)
            y[i] = x[i] % 5;
}

kernel void velocity(int n, global body *b)
{
    for (int i = 0; i < n; i++) {
        b[i].x += b[i].dx;
        b[i].y += b[i].dy;
        b[i].z += b[i].dz;
    }
}

kernel void softmax(int n, global const float *x, global float *y)
{
    float top = x[0], sum = 0;
    for (int i = 1; i < n; i++)
        top = fmax(top, x[i]);
    for (int i = 0; i < n; i++)
        sum += exp(x[i] - top);
    for (int i = 0; i < n; i++)
        y[i] = exp(x[i] - top) / sum;
}

kernel void from_two(int n, global const float *x, global float *y)
{
    y[0] = x[0];
    for (int i = 1; i < n; i++)
        y[0] = fmax(y[0], x[i]);
}

kernel void last_largest(int n, global const float *x, global int *y)
{
    y[0] = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > x[y[0]])
            y[0] = i;
}

kernel void normed(int n, global const float *x, global float *y)
{
    float sum = 0, squares = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    for (int i = 0; i < n; i++)
        squares += (x[i] - sum / n) * (x[i] - sum / n);
    for (int i = 0; i < n; i++)
        y[i] = (x[i] - sum / n) / sqrt(squares / n);
}

kernel void unscaled(int n, float alpha, global const float *x, global float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = alpha * x[i];
}

// For alpha = 2 alone.
kernel void scaled(int n, float alpha, global const float *x, global float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] + x[i];
}

kernel void least(int n, global const int *x, global int *y)
{
    y[0] = x[0];
    for (int i = 1; i < n; i++)
        y[0] = min(y[0], x[i]);
}

kernel void third(int n, global const float *x, global float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] / 3;
}

kernel void least_from_1000(int n, global const float *x, global float *y)
{
    y[0] = x[0];
    for (int i = 1; i < n; i++)
        y[0] = fmin(y[0], x[i]);
}

kernel void not_below(int n, float limit, global const float *x, global int *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] >= limit;
}

kernel void exchanged(int n, float alpha, float beta, global const float *x, global float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = alpha * x[i] + beta;
}

kernel void mean_of_five(int n, int radius, global const float *x, global float *y)
{
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int j = i - radius; j <= i + radius; j++)
            sum += x[clamp(j, 0, n - 1)];
        y[i] = sum / (2 * radius + 1);
    }
}

kernel void variance(int n, global const float *x, global float *y)
{
    float sum = 0, squares = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    for (int i = 0; i < n; i++)
        squares += (x[i] - sum / n) * (x[i] - sum / n);
    y[0] = squares / n;
}

kernel void count(int n, global const float *x, global int *y)
{
    y[0] = 0;
    for (int i = 0; i < n; i++)
        y[0] += x[i] > 0;
}

kernel void mixed(int n, float t, global const float *x, global const float *z, global float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = (1 - t) * x[i] + t * z[i];
}
