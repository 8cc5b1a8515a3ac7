// Symptom: right at size 64. With K = 53 every element is wrong, none by much; with
// K = 3 all are 0.
// Run: lesson07 --only matmul_dot4 --size 37x91x53

#ifndef REAL // the element type, from --type
#define REAL float
#endif

// REAL4 is float4 when REAL is float. Two macros, because ## does not expand
// its operands; the outer one does.
#define JOIN_(type, width) type##width
#define JOIN(type, width) JOIN_(type, width)
#define REAL4 JOIN(REAL, 4)

// Elements of a row of A, or a column of B, that are kept at a time.
#ifndef PIECE
#define PIECE 1024
#endif

kernel void matmul_dot4(int M, int N, int K,
                        global const REAL *A, // [M][K]
                        global const REAL *B, // [K][N]
                        global REAL *C)       // [M][N]
{
    const int row = get_global_id(0);
    const int me = get_local_id(0);
    const int group = get_local_size(0);

    REAL4 a[PIECE / 4];  // A[row][k0 ...], four by four
    local REAL b[PIECE]; // B[k0 ...][column]

    for (int k0 = 0; k0 < K; k0 += PIECE) {
        const int length = min(PIECE, K - k0);
        const int vectors = length / 4;
        for (int v = 0; v < vectors; v++) {
            REAL four[4];
            for (int lane = 0; lane < 4; lane++) {
                const int k = 4 * v + lane;
                four[lane] = row < M ? A[row * K + k0 + k] : (REAL)0;
            }
            a[v] = vload4(0, four);
        }

        for (int column = 0; column < N; column++) {
            for (int k = me; k < 4 * vectors; k += group)
                b[k] = B[(k0 + k) * N + column];
            barrier(CLK_LOCAL_MEM_FENCE);

            if (row < M) {
                REAL sum = k0 == 0 ? (REAL)0 : C[row * N + column];
                for (int v = 0; v < vectors; v++)
                    sum += dot(a[v], vload4(v, b));
                C[row * N + column] = sum;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}
