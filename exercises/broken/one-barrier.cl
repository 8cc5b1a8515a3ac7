// Symptom: right on PoCL, always. On a GPU right at most sizes; at some a few
// elements, anywhere in C, are wrong.
// Run: lesson06 --only matmul_column_local --size 37x91x53
//
// C[M][N] = A[M][K] * B[K][N], row-major.

#ifndef REAL // the element type, from --type
#define REAL float
#endif

// Elements of a row of A, or a column of B, that are kept at a time.
#ifndef PIECE
#define PIECE 1024
#endif

kernel void matmul_column_local(int M, int N, int K,
                                global const REAL *A, // [M][K]
                                global const REAL *B, // [K][N]
                                global REAL *C)       // [M][N]
{
    const int row = get_global_id(0);
    const int me = get_local_id(0);
    const int group = get_local_size(0);

    REAL a[PIECE];       // A[row][k0 .. k0+length-1], mine
    local REAL b[PIECE]; // B[k0 .. k0+length-1][column], ours

    for (int k0 = 0; k0 < K; k0 += PIECE) {
        const int length = min(PIECE, K - k0);
        if (row < M)
            for (int k = 0; k < length; k++)
                a[k] = A[row * K + k0 + k];

        for (int column = 0; column < N; column++) {
            for (int k = me; k < length; k += group)
                b[k] = B[(k0 + k) * N + column];
            barrier(CLK_LOCAL_MEM_FENCE); // all of b is there

            if (row < M) {
                REAL sum = k0 == 0 ? (REAL)0 : C[row * N + column];
                for (int k = 0; k < length; k++)
                    sum += a[k] * b[k];
                C[row * N + column] = sum;
            }
        }
    }
}
