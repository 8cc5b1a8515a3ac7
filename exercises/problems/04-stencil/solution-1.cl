// Heat, stage 1: one point for each item.
//
// Each point loads five elements for eight bytes that must be moved. Four of the five
// are loaded by neighbours too, at nearly the same time, so caches serve them and
// memory sees each element about once. The load instructions are not saved: five for
// each point.

kernel void heat(int rows, int columns, float rate,
                 global const float *in, // [rows][columns]
                 global float *out)      // [rows][columns]
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    if (x >= columns || y >= rows)
        return;
    const int i = y * columns + x;
    const float here = in[i];
    if (x == 0 || y == 0 || x == columns - 1 || y == rows - 1) {
        out[i] = here;
        return;
    }
    const float around = in[i - columns] + in[i + columns] + in[i - 1] + in[i + 1];
    out[i] = here + rate * (around - 4 * here);
}
