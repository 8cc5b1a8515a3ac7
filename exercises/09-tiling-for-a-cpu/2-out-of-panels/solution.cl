// Exercise 9.2: out of panels. C[M][N] = A[M][K] * B[K][N]; A and C are row-major,
// and B comes in panels of 8 columns: panels[N / 8][K][8]. The host pads N to a
// multiple of 8.
//
// An item computes 8 neighbouring elements of a row of C, so it needs one panel. As it
// stands it reads B as if it were row-major. Read the panel.

#define PANEL 8

kernel void matmul(int M, int N, int K,
                   global const float *A,      // [M][K]
                   global const float *panels, // [panels][K][PANEL]
                   global float *C)            // [M][N]
{
    const int panel = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || panel * PANEL >= N)
        return;

    float8 sum = 0;
    for (int k = 0; k < K; k++) {
        // ---- your lines begin
        const float8 b = vload8(0, panels + (panel * K + k) * PANEL);
        // ---- your lines end
        sum += A[row * K + k] * b;
    }
    vstore8(sum, 0, C + row * N + panel * PANEL);
}
