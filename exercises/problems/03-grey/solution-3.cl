// Grey, stage 3: sixteen pixels for each item.
//
// 16 pixels are 48 bytes: three loads of 16 bytes, which is as wide as loads are on a
// GPU, and one store of 16. There are a sixteenth of the instructions of stage 1, and
// the arithmetic is on 16 lanes, which a CPU has in one register. A product is at
// most 150 * 255 and the sum below 65536: so ushort is wide enough, and twice as many
// lanes fit as of uint.

kernel void grey(int pixels,
                 global const uchar *rgb, // [pixels][3]: red, green, blue
                 global uchar *out)       // [pixels]
{
    const int piece = get_global_id(0); // which sixteen pixels
    const int first = 16 * piece;
    if (first + 16 <= pixels) {
        global const uchar16 *in16 = (global const uchar16 *)rgb;
        const uchar16 a = in16[3 * piece];     // r0 g0 b0 r1 ... r5
        const uchar16 b = in16[3 * piece + 1]; // g5 b5 r6 ... g10
        const uchar16 c = in16[3 * piece + 2]; // b10 r11 ... b15
        const ushort16 red = convert_ushort16((uchar16)(
            a.s0, a.s3, a.s6, a.s9, a.sc, a.sf, b.s2, b.s5,
            b.s8, b.sb, b.se, c.s1, c.s4, c.s7, c.sa, c.sd));
        const ushort16 green = convert_ushort16((uchar16)(
            a.s1, a.s4, a.s7, a.sa, a.sd, b.s0, b.s3, b.s6,
            b.s9, b.sc, b.sf, c.s2, c.s5, c.s8, c.sb, c.se));
        const ushort16 blue = convert_ushort16((uchar16)(
            a.s2, a.s5, a.s8, a.sb, a.se, b.s1, b.s4, b.s7,
            b.sa, b.sd, c.s0, c.s3, c.s6, c.s9, c.sc, c.sf));
        const ushort16 sum = (ushort)77 * red + (ushort)150 * green + (ushort)29 * blue
                           + (ushort)128;
        ((global uchar16 *)out)[piece] = convert_uchar16(sum >> (ushort)8);
        return;
    }
    // The last item has one to fifteen pixels.
    for (int i = first; i < pixels; i++) {
        const int red = rgb[3 * i], green = rgb[3 * i + 1], blue = rgb[3 * i + 2];
        out[i] = (77 * red + 150 * green + 29 * blue + 128) >> 8;
    }
}
