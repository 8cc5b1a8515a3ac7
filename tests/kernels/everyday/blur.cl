// A 3x3 filter over an image in any format that kernels read as floats; beyond the border the
// sampler gives the border's pixel.
constant sampler_t pixels = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE
                            | CLK_FILTER_NEAREST;

kernel void blur(read_only image2d_t from, constant float *weights, write_only image2d_t to)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    if (any(at >= get_image_dim(to)))
        return;
    float4 sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            const float weight = weights[(dy + 1) * 3 + dx + 1];
            sum += weight * read_imagef(from, pixels, at + (int2)(dx, dy));
        }
    write_imagef(to, at, sum);
}
