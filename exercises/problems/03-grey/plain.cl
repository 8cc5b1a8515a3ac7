// grey = 0.299 red + 0.587 green + 0.114 blue, in whole numbers: the weights are
// 256ths, and 128 rounds to the nearest. One pixel for each work-item.
kernel void grey(int pixels,
                 global const uchar *rgb, // [pixels][3]: red, green, blue
                 global uchar *out)       // [pixels]
{
    const int i = get_global_id(0);
    if (i >= pixels)
        return;
    const int red = rgb[3 * i], green = rgb[3 * i + 1], blue = rgb[3 * i + 2];
    out[i] = (77 * red + 150 * green + 29 * blue + 128) / 256;
}
