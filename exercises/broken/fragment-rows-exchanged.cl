// Symptom: right for one row. Else two of every four rows are wrong. Where M is a
// multiple of 4 the sum of each column is right all the same.
// Run: lesson13 --only matmul_strip_stored --size 37x91x53

#define unrolled_for _Pragma("unroll") for

#if STORED_HALF
#define STORED half
#define load1(at) vload_half(0, at)
#define load16(at) vloada_half16(0, at)
#else
#define STORED float
#define load1(at) (*(at))
#define load16(at) (*(global const float16 *)(at))
#endif

// Lesson 13's strip of 4 rows and 16 columns. Its sums lie as a matrix unit's fragment
// does, in pairs: here sum[g] is of row g and of row g + 2.
kernel void matmul_strip_stored(int M, int N, int K,
                                global const STORED *restrict A, // [M][K]
                                global const STORED *restrict B, // [K][N]
                                global float *restrict C)        // [M][N]
{
    const int column = get_global_id(0) * 16;
    const int row = get_global_id(1) * 4;
    if (row >= M || column >= N)
        return;
    float16 sum[2][2] = {{0, 0}, {0, 0}};
    for (int k = 0; k < K; k++) {
        const float16 b = load16(B + k * N + column);
        unrolled_for (int g = 0; g < 2; g++)
            unrolled_for (int half_ = 0; half_ < 2; half_++)
                sum[g][half_] += load1(A + (row + g + 2 * half_) * K + k) * b;
    }
    unrolled_for (int g = 0; g < 2; g++)
        unrolled_for (int half_ = 0; half_ < 2; half_++) {
            const int to = row + 2 * g + half_;
            *(global float16 *)(C + to * N + column) = sum[g][half_];
        }
}
