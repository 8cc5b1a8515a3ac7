// Grey, stage 2: four pixels for each item, three words in and one out.
//
// Four pixels are 12 bytes, which are three uints; their greys are one uint. So an
// item executes 3 loads and 1 store for four pixels: a quarter of the instructions,
// each four times as wide. 12 bytes do not begin at a multiple of 16, so three loads
// of 4 bytes it is.
//
//     byte    0  1  2  3 | 4  5  6  7 | 8  9 10 11
//             r  g  b  r | g  b  r  g | b  r  g  b
//     pixel   0  0  0  1 | 1  1  2  2 | 2  3  3  3

kernel void grey(int pixels,
                 global const uchar *rgb, // [pixels][3]: red, green, blue
                 global uchar *out)       // [pixels]
{
    const int four = get_global_id(0); // which four pixels
    const int first = 4 * four;
    if (first + 4 <= pixels) {
        global const uchar4 *in4 = (global const uchar4 *)rgb;
        const uchar4 a = in4[3 * four], b = in4[3 * four + 1], c = in4[3 * four + 2];
        const uint4 red = (uint4)(a.x, a.w, b.z, c.y);
        const uint4 green = (uint4)(a.y, b.x, b.w, c.z);
        const uint4 blue = (uint4)(a.z, b.y, c.x, c.w);
        const uint4 sum = 77 * red + 150 * green + 29 * blue + 128;
        ((global uchar4 *)out)[four] = convert_uchar4(sum >> 8);
        return;
    }
    // The last item has one to three pixels.
    for (int i = first; i < pixels; i++) {
        const int red = rgb[3 * i], green = rgb[3 * i + 1], blue = rgb[3 * i + 2];
        out[i] = (77 * red + 150 * green + 29 * blue + 128) >> 8;
    }
}
