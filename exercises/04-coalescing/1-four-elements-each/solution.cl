// Exercise 4.1: four elements each. C = d * A + B, vectors of n floats.
//
// A quarter as many items as elements. The kernel is right, and item 0 computes
// elements 0 to 3, item 1 elements 4 to 7. Neighbouring items then ask for every
// fourth element, and 32 of them touch 16 sectors of each vector, four times over.
// Give every item other elements, so that neighbours ask for neighbours.

kernel void saxpy(int n, float d,
                  global const float *A, // [n]
                  global const float *B, // [n]
                  global float *C)       // [n]
{
    const int item = get_global_id(0);
    const int items = get_global_size(0);

    for (int round = 0; round < 4; round++) {
        // ---- your lines begin
        const int i = round * items + item;
        // ---- your lines end
        if (i < n)
            C[i] = d * A[i] + B[i];
    }
}
