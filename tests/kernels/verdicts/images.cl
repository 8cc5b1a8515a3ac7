// Each pixel's neighbour to the right, by the sampler that it is given.
kernel void next(read_only image2d_t from, write_only image2d_t to, sampler_t by)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    if (at.x < get_image_width(to) && at.y < get_image_height(to))
        write_imagef(to, at, read_imagef(from, by, at + (int2)(1, 0)));
}
