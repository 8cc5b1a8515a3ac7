// Grey, stage 1: one pixel for each item, which is all that its definition says.
//
// It moves the right bytes, but one at a time: 3 load instructions and 1 store for
// each 4 bytes. 32 neighbouring items ask for 32 bytes in each instruction, where a
// GPU can serve 128 or more, so the load units are busy long before memory is.

kernel void grey(int pixels,
                 global const uchar *rgb, // [pixels][3]: red, green, blue
                 global uchar *out)       // [pixels]
{
    const int i = get_global_id(0);
    if (i >= pixels)
        return;
    const int red = rgb[3 * i], green = rgb[3 * i + 1], blue = rgb[3 * i + 2];
    out[i] = (77 * red + 150 * green + 29 * blue + 128) >> 8;
}
