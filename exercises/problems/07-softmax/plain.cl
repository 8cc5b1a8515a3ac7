// Each row becomes exp(element - max) / sum of these. Without the row's largest
// element, exp would overflow from 89 on; it cancels out. One row for each work-item,
// three passes.
kernel void softmax(int rows, int columns,
                    global const float *in, // [rows][columns]
                    global float *out)      // [rows][columns]
{
    const int row = get_global_id(0);
    if (row >= rows)
        return;
    in += row * columns;
    out += row * columns;

    float most = in[0];
    for (int k = 1; k < columns; k++)
        most = fmax(most, in[k]);
    float sum = 0;
    for (int k = 0; k < columns; k++)
        sum += exp(in[k] - most);
    for (int k = 0; k < columns; k++)
        out[k] = exp(in[k] - most) / sum;
}
