// Symptom: right at size 64. At other sizes some elements are never written: in every
// row the same few columns at the end, up to 3 of them with vectors of 4, up to 15 with
// vectors of 16.
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
#define VLOAD JOIN(vload, WIDTH)
#define VSTORE JOIN(vstore, WIDTH)

kernel void matmul_vload(int M, int N, int K,
                         global const REAL *A, // [M][K]
                         global const REAL *B, // [K][N]
                         global REAL *C)       // [M][N]
{
    const int column = get_global_id(0) * WIDTH;
    const int row = get_global_id(1);
    if (row >= M || column + WIDTH > N)
        return;

    REALW sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * VLOAD(0, B + k * N + column);
    VSTORE(sum, 0, C + row * N + column);
}
