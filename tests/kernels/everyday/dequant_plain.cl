kernel void matvec(int rows, int cols, global const char *weights, global const half *scales,
                   global const float *x, global float *y)
{
    for (int row = 0; row < rows; row++) {
        float sum = 0;
        for (int i = 0; i < cols; i++) {
            const float scale = vload_half((row * cols + i) / 32, scales);
            sum += scale * weights[row * cols + i] * x[i];
        }
        y[row] = sum;
    }
}
