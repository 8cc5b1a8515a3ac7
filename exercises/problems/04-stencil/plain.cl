// One step of heat conduction. Each inner point moves by `rate` towards the mean of its
// four neighbours; the points on the edge of the grid stay as they are.
kernel void heat(int rows, int columns, float rate,
                 global const float *in, // [rows][columns]
                 global float *out)      // [rows][columns]
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    if (x >= columns || y >= rows)
        return;
    const int i = y * columns + x;
    out[i] = in[i];
    if (x > 0 && y > 0 && x < columns - 1 && y < rows - 1)
        out[i] += rate * (in[i - columns] + in[i + columns] + in[i - 1] + in[i + 1]
                          - 4 * in[i]);
}
