kernel void sgemm(int m, int n, int k, float alpha, global const float *a, global const float *b,
                  float beta, global float *c)
{
    for (int row = 0; row < m; row++)
        for (int col = 0; col < n; col++) {
            float sum = 0;
            for (int p = 0; p < k; p++)
                sum += a[row * k + p] * b[p * n + col];
            c[row * n + col] = alpha * sum + beta * c[row * n + col];
        }
}
