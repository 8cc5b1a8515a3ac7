// Symptom: right wherever N is a multiple of 16. With other N some drivers give the
// right result, and on others the process dies.
// Run: lesson07 --only matmul_vload --size 37x91x53

#ifndef REAL // the element type, from --type
#define REAL float
#endif

// REAL4 would be float4 when REAL is float. Two macros, because ## does not
// expand its operands; the outer one does.
#define JOIN_(type, width) type##width
#define JOIN(type, width) JOIN_(type, width)

#ifndef WIDTH
#define WIDTH 4
#endif
#define REALW JOIN(REAL, WIDTH)

kernel void matmul_vload(int M, int N, int K,
                         global const REAL *A, // [M][K]
                         global const REAL *B, // [K][N]
                         global REAL *C)       // [M][N]
{
    const int column = get_global_id(0) * WIDTH;
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    if (column + WIDTH <= N) {
        REALW sum = 0;
        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * *(global const REALW *)(B + k * N + column);
        *(global REALW *)(C + row * N + column) = sum;
    } else {
        for (int c = column; c < N; c++) {
            REAL sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[row * K + k] * B[k * N + c];
            C[row * N + c] = sum;
        }
    }
}
