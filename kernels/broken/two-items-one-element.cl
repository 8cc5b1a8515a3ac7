// Symptom: right on PoCL at every size. On another device elements of the last
// row or column are wrong now and then, at sizes that the group does not divide.
// Run: lesson04 --only matmul_id0_rows_sum_in_c --size 37x21x35
// Seen by: races
//
// C[M][N] = A[M][K] * B[K][N], row-major. id0 counts rows.

#ifndef REAL            // the element type, from --type
#define REAL float
#endif

kernel void matmul_id0_rows_sum_in_c(int M, int N, int K, global const REAL *A,
                                     global const REAL *B, global REAL *C)
{
    // No item may leave C: those too many stay at the last row or column.
    const int row = min((int)get_global_id(0), M - 1);
    const int column = min((int)get_global_id(1), N - 1);

    C[row * N + column] = 0;
    for (int k = 0; k < K; k++)
        C[row * N + column] += A[row * K + k] * B[k * N + column];
}
