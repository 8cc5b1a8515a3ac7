// Each row is brought to mean 0 and variance 1, then scaled and shifted by column.
// One row for each work-item; the variance comes from the differences to the mean, in
// a pass of its own.
#define EPSILON 1e-5f

kernel void layer_norm(int rows, int columns,
                       global const float *in,    // [rows][columns]
                       global const float *scale, // [columns]
                       global const float *shift, // [columns]
                       global float *out)         // [rows][columns]
{
    const int row = get_global_id(0);
    if (row >= rows)
        return;
    in += row * columns;
    out += row * columns;

    // Differences to the first element add up with less rounding than elements.
    float mean = 0;
    for (int k = 0; k < columns; k++)
        mean += in[k] - in[0];
    mean = in[0] + mean / columns;
    float variance = 0;
    for (int k = 0; k < columns; k++)
        variance += (in[k] - mean) * (in[k] - mean);
    variance /= columns;
    for (int k = 0; k < columns; k++)
        out[k] = (in[k] - mean) / sqrt(variance + EPSILON) * scale[k] + shift[k];
}
