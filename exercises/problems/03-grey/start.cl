// Problem 3: out[i] = (77 red + 150 green + 29 blue + 128) / 256 of pixel i.

kernel void grey(int pixels,
                 global const uchar *rgb, // [pixels][3]: red, green, blue
                 global uchar *out)       // [pixels]
{
}
