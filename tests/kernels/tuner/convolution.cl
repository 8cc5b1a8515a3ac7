// Each output is the sum of SIDE x SIDE inputs, each times a weight: the input has a rim.
#ifndef EACH
#define EACH 1 // rows of an item
#endif
#define SIDE 5

kernel void convolution(global float *out, global const float *in, constant float *filter,
                        int width, int height)
{
    const int x = get_global_id(0);
    for (int e = 0; e < EACH; e++) {
        const int y = get_global_id(1) * EACH + e;
        if (x >= width || y >= height)
            return;
        float sum = 0;
        for (int j = 0; j < SIDE; j++)
            for (int i = 0; i < SIDE; i++)
                sum += in[(y + j) * (width + SIDE - 1) + x + i] * filter[j * SIDE + i];
        out[y * width + x] = sum;
    }
}
