constant sampler_t pixels = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;

kernel void blur(read_only image2d_t from, constant float *weights, write_only image2d_t to)
{
    const int width = get_image_width(from), height = get_image_height(from);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float4 sum = 0;
            for (int i = 0; i < 9; i++) {
                const int2 at = (int2)(clamp(x + i % 3 - 1, 0, width - 1),
                                       clamp(y + i / 3 - 1, 0, height - 1));
                sum += weights[i] * read_imagef(from, pixels, at);
            }
            write_imagef(to, (int2)(x, y), sum);
        }
}
