// Heat, stage 3: strips that are four points wide.
//
// An item moves a float4 down the grid. Within it three of the four points have their
// left and right neighbours in the same register, so two single elements are loaded
// for four points, and one vector:
//
//     loads for each point    3 1/4    ->    (1 + 2 + 2 / STRIP) / 4 = 13/16
//
// A row begins at a multiple of 16 bytes only if `columns` is a multiple of 4; else
// vload4, which asks for no more than a float's alignment, and which some compilers
// take apart into four loads. The grid's first and last columns go point by point, as
// in stage 1.

#define STRIP 8 // rows of an item

// One point, wherever it lies.
float point(int rows, int columns, float rate, global const float *in, int y, int x)
{
    const int i = y * columns + x;
    if (x == 0 || y == 0 || x == columns - 1 || y == rows - 1)
        return in[i];
    const float around = in[i - columns] + in[i + columns] + in[i - 1] + in[i + 1];
    return in[i] + rate * (around - 4 * in[i]);
}

// Elements i .. i + 3.
float4 four(global const float *in, int i, bool aligned)
{
    return aligned ? ((global const float4 *)in)[i / 4] : vload4(0, in + i);
}

kernel void heat(int rows, int columns, float rate,
                 global const float *in, // [rows][columns]
                 global float *out)      // [rows][columns]
{
    const int x = get_global_id(0) * 4;
    const int y0 = get_global_id(1) * STRIP;
    const int y1 = min(y0 + STRIP, rows);
    if (x >= columns || y0 >= rows)
        return;

    if (x == 0 || x + 4 >= columns) {
        for (int y = y0; y < y1; y++)
            for (int along = x; along < min(x + 4, columns); along++)
                out[y * columns + along] = point(rows, columns, rate, in, y, along);
        return;
    }

    const bool aligned = columns % 4 == 0;
    int i = y0 * columns + x;
    float4 above = y0 > 0 ? four(in, i - columns, aligned) : (float4)0;
    float4 here = four(in, i, aligned);
    for (int y = y0; y < y1; y++) {
        const float4 below = y + 1 < rows ? four(in, i + columns, aligned) : (float4)0;
        const float4 left = (float4)(in[i - 1], here.x, here.y, here.z);
        const float4 right = (float4)(here.y, here.z, here.w, in[i + 4]);
        float4 new = here + rate * (above + below + left + right - 4 * here);
        if (y == 0 || y == rows - 1)
            new = here;
        if (aligned)
            ((global float4 *)out)[i / 4] = new;
        else
            vstore4(new, 0, out + i);
        above = here;
        here = below;
        i += columns;
    }
}
