// Lesson 4: coalescing. Which addresses do neighbouring items ask for at the
// same moment? If they are neighbours too, the hardware serves many items with
// one transaction; if not, each item pays for its own.
//
// C[M][N] = A[M][K] * B[K][N], row-major. "id0" is get_global_id(0), which
// varies fastest from item to item. "bt" kernels get B transposed, Bt[N][K].

#ifndef REAL // the element type, from --type
#define REAL float
#endif

// id0 counts rows. At each k, neighbouring items read A[row][k], A[row+1][k],
// ...: K elements apart, a sector for each. They all read the same B[k][column].
kernel void matmul_id0_rows(int M, int N, int K,
                            global const REAL *A, // [M][K]
                            global const REAL *B, // [K][N]
                            global REAL *C)       // [M][N]
{
    const int row = get_global_id(0);
    const int column = get_global_id(1);
    if (row >= M || column >= N)
        return;

    REAL sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + column];
    C[row * N + column] = sum;
}

// id0 counts columns: the only change. Neighbouring items now read B[k][column],
// B[k][column+1], ...: neighbours. They all read the same A[row][k].
kernel void matmul_id0_columns(int M, int N, int K,
                               global const REAL *A, // [M][K]
                               global const REAL *B, // [K][N]
                               global REAL *C)       // [M][N]
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    REAL sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + column];
    C[row * N + column] = sum;
}

// B transposed, id0 counts rows. Each item now walks both of its streams in
// order of k. That helps one core with its cache; between neighbouring items
// nothing has changed, A is still K elements apart.
kernel void matmul_id0_rows_bt(int M, int N, int K,
                               global const REAL *A,  // [M][K]
                               global const REAL *Bt, // [N][K]
                               global REAL *C)        // [M][N]
{
    const int row = get_global_id(0);
    const int column = get_global_id(1);
    if (row >= M || column >= N)
        return;

    REAL sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * Bt[column * K + k];
    C[row * N + column] = sum;
}

// B transposed, id0 counts columns. Neighbouring items read Bt[column][k],
// Bt[column+1][k]: K elements apart. The good mapping is undone by the layout.
kernel void matmul_id0_columns_bt(int M, int N, int K,
                                  global const REAL *A,  // [M][K]
                                  global const REAL *Bt, // [N][K]
                                  global REAL *C)        // [M][N]
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= M || column >= N)
        return;

    REAL sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * Bt[column * K + k];
    C[row * N + column] = sum;
}

// The pair from which a well-known article concluded that coalescing does
// nothing: id0 counts rows, and the sum is kept in C. In both, neighbours read
// A a row apart and the same element of B, whichever way B lies. And every
// iteration stores to C[row][column], N elements apart for neighbours.
kernel void matmul_id0_rows_sum_in_c(int M, int N, int K,
                                     global const REAL *A, // [M][K]
                                     global const REAL *B, // [K][N]
                                     global REAL *C)       // [M][N]
{
    const int row = get_global_id(0);
    const int column = get_global_id(1);
    if (row >= M || column >= N)
        return;

    C[row * N + column] = 0;
    for (int k = 0; k < K; k++)
        C[row * N + column] += A[row * K + k] * B[k * N + column];
}

kernel void matmul_id0_rows_bt_sum_in_c(int M, int N, int K,
                                        global const REAL *A,  // [M][K]
                                        global const REAL *Bt, // [N][K]
                                        global REAL *C)        // [M][N]
{
    const int row = get_global_id(0);
    const int column = get_global_id(1);
    if (row >= M || column >= N)
        return;

    C[row * N + column] = 0;
    for (int k = 0; k < K; k++)
        C[row * N + column] += A[row * K + k] * Bt[column * K + k];
}

// Copies in[columns][stride] to out[stride][columns]: neighbouring items read
// `stride` elements apart and write neighbours. Every stride copies the same
// elements; only the order of the reads differs. Stride 1 is a plain copy.
kernel void copy_stride(int columns, int stride,
                        global const float *in, // [columns][stride]
                        global float *out)      // [stride][columns]
{
    const int i = get_global_id(0); // 0 .. columns-1
    const int j = get_global_id(1); // 0 .. stride-1
    if (i < columns && j < stride)
        out[j * columns + i] = in[i * stride + j];
}

// The same with four floats an item: `stride` counts groups of four, in and out.
// Each item has four times as many bytes on their way.
kernel void copy_stride_vector(int columns, int stride,
                               global const float *in, // [columns][stride][4]
                               global float *out)      // [stride][columns][4]
{
    const int i = get_global_id(0); // 0 .. columns-1
    const int j = get_global_id(1); // 0 .. stride-1
    if (i < columns && j < stride)
        vstore4(vload4(i * stride + j, in), j * columns + i, out);
}

// Copies n elements from in[offset ...] to out[0 ...]: neighbours all the way,
// but the reads of a group no longer begin where a sector of memory begins.
kernel void copy_offset(int n, int offset,
                        global const float *in, // [offset + n]
                        global float *out)      // [n]
{
    const int i = get_global_id(0);
    if (i < n)
        out[i] = in[i + offset];
}
