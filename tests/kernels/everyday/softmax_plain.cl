kernel void softmax(int rows, int cols, global const float *x, global float *y)
{
    for (int row = 0; row < rows; row++) {
        float top = -INFINITY, sum = 0;
        for (int i = 0; i < cols; i++)
            top = fmax(top, x[row * cols + i]);
        for (int i = 0; i < cols; i++)
            sum += exp(x[row * cols + i] - top);
        for (int i = 0; i < cols; i++)
            y[row * cols + i] = exp(x[row * cols + i] - top) / sum;
    }
}
