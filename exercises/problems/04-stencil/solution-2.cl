// Heat, stage 2: a strip of points down a column for each item.
//
// What is `below` now is `here` for the next point of the strip, and `above` for the
// one after it. So three registers are passed on, and of the five loads three are
// left: below, left and right. The strip adds two loads at its ends:
//
//     loads for each point    5    ->    3 + 2 / STRIP = 3 1/4
//
// Left and right are still loaded by neighbouring items. A tile in local memory would
// share those, but its loads come from the same hardware as the L1 cache's on most
// GPUs, and it needs a barrier.

#define STRIP 8 // points of an item, one below the other

kernel void heat(int rows, int columns, float rate,
                 global const float *in, // [rows][columns]
                 global float *out)      // [rows][columns]
{
    const int x = get_global_id(0);
    const int y0 = get_global_id(1) * STRIP;
    if (x >= columns || y0 >= rows)
        return;
    const bool edge = x == 0 || x == columns - 1;
    const int y1 = min(y0 + STRIP, rows);

    int i = y0 * columns + x;
    float above = y0 > 0 ? in[i - columns] : 0.0f;
    float here = in[i];
    for (int y = y0; y < y1; y++) {
        const float below = y + 1 < rows ? in[i + columns] : 0.0f;
        if (edge || y == 0 || y == rows - 1)
            out[i] = here;
        else
            out[i] = here + rate * (above + below + in[i - 1] + in[i + 1] - 4 * here);
        above = here;
        here = below;
        i += columns;
    }
}
