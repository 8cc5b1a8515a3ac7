// Attention from halves, stage 2: both products on NVIDIA's matrix units.
//
// A warp has 16 MI queries, a group 4 warps. It goes through the keys 64 at a time. Their
// tile and that of their values are copied while the one before is used. A warp's
// scores, weights and results stay in registers:
//
//     scores: 16 MI queries x 64 keys, 4 k-steps of 16 columns of Q and K
//     result: 16 MI queries x 64 columns, 4 k-steps of 16 keys
//
// mma.sync (lesson 13) adds to C, 16 x 8 floats, the product of A, 16 x 16 halves, and B,
// 16 x 8 halves. Each lane holds parts of them, its fragments. NVIDIA's manual, "PTX ISA",
// has the places for m16n8k16. Lane 4 g + t holds, two halves in a register, the first in
// its lower bits,
//
//     of A  a[0]: row g,     k = 2 t, 2 t + 1    a[2]: row g,     k = 2 t + 8, 2 t + 9
//           a[1]: row g + 8, k = 2 t, 2 t + 1    a[3]: row g + 8, k = 2 t + 8, 2 t + 9
//     of B  b0: column g, k = 2 t, 2 t + 1       b1: column g, k = 2 t + 8, 2 t + 9
//     of C  c[0], c[1]: row g, columns 2 t, 2 t + 1    c[2], c[3]: the same of row g + 8
//
// So two pieces of C side by side lie in their lanes as a piece of A does: rounded to
// halves, the weights go from the first product into the second without a move. The four
// lanes of one g hold a row together, and find its largest score by two shuffles.
//
// ldmatrix brings four 8 x 8 pieces: lane l gives the address of row l % 8 of piece l / 8,
// and lane 4 g + t gets elements 2 t and 2 t + 1 of row g of each; with .trans of column g.
// K's rows are B's columns, so K is taken as it lies, V transposed.

#define D 64    // elements of a query, a key and a value
#define KEYS 64 // of a tile
#ifndef WARPS
#define WARPS 4 // of a group
#endif
#ifndef MI
#define MI 2 // pieces of 16 queries of a warp
#endif
#ifndef CAUSAL
#define CAUSAL 0 // 1: a query looks at keys up to its own number
#endif
#define CHUNKS (D / 8) // of 16 bytes in a row

// Weights are powers of 2: e^(x / sqrt(D)) = 2^(SCALE x).
#define SCALE (0.125f * M_LOG2E_F)

// What OpenCL C has no words for, by PTX. Without MATRIX_UNITS whoever includes this file
// says what stands for it.
#ifdef MATRIX_UNITS

#define unrolled_for _Pragma("unroll") for // a loop that the compiler writes out

// PTX counts local memory from 0, in 32 bits.
uint address(local const void *p)
{
    return (uint)(ulong)p;
}

// Asks for 16 bytes, or for zeros where they do not `exist`.
void copy16(local uint4 *to, global const uint4 *from, bool exist)
{
    __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                     ::"r"(address(to)), "l"(from), "r"(exist ? 16 : 0)
                     : "memory");
}

// Waits for all that this item asked for.
void await_copies(void)
{
    __asm__ volatile("cp.async.wait_all;" ::: "memory");
}

#define LDMATRIX(how, to, from)                                                   \
    __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4" how                          \
                     ".shared.b16 {%0, %1, %2, %3}, [%4];"                        \
                     : "=r"((to)[0]), "=r"((to)[1]), "=r"((to)[2]), "=r"((to)[3]) \
                     : "r"(address(from))                                         \
                     : "memory")

void load(uint to[4], local const uint4 *from)
{
    LDMATRIX("", to, from);
}

void load_transposed(uint to[4], local const uint4 *from)
{
    LDMATRIX(".trans", to, from);
}

void multiply(float c[4], const uint a[4], uint b0, uint b1)
{
    __asm__("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// x of the lane whose number differs in this bit.
float across(float x, int bit)
{
    float other;
    __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;"
                     : "=f"(other)
                     : "f"(x), "r"(bit));
    return other;
}

// Two halves in a register.
uint pack(float low, float high)
{
    uint both;
    __asm__("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}

// 2^x, to 22 bits.
float power(float x)
{
    float y;
    __asm__("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

#endif

#ifdef unrolled_for // there are words for all of it

// Where a chunk lies: each row has its chunks in another order, so that the rows that
// ldmatrix reads at once lie in different banks.
int swizzled(int row, int chunk)
{
    return row * CHUNKS + (chunk ^ row % 8);
}

// This item's share of the tiles from key `first` on; behind the last key are zeros.
void ask(local uint4 *keys, local uint4 *values, global const uint4 *K,
         global const uint4 *V, int first, int n)
{
    const int item = get_local_id(1) * 32 + get_local_id(0);
    const int chunk = item % CHUNKS;
    unrolled_for (int q = 0; q < KEYS; q += 32 * WARPS / CHUNKS) {
        const int row = q + item / CHUNKS, from = (first + row) * CHUNKS + chunk;
        copy16(keys + swizzled(row, chunk), K + from, first + row < n);
        copy16(values + swizzled(row, chunk), V + from, first + row < n);
    }
}

__attribute__((reqd_work_group_size(32, WARPS, 1)))
kernel void attention(int n,
                      global const half *Q, // [heads][n][D]
                      global const half *K, // [heads][n][D]
                      global const half *V, // [heads][n][D]
                      global float *out)    // [heads][n][D]
{
    local uint4 keys[2][KEYS * CHUNKS] __attribute__((aligned(128)));
    local uint4 values[2][KEYS * CHUNKS] __attribute__((aligned(128)));
    const int lane = get_local_id(0), g = lane / 4, t = lane % 4;
    const int head = get_group_id(1) * n; // rows before it
    // With CAUSAL the last groups take longest, so they begin.
    const int groups = get_num_groups(0), group = get_group_id(0);
    const int tile = CAUSAL ? groups - 1 - group : group;
    const int first_query = (tile * WARPS + get_local_id(1)) * 16 * MI; // of the warp
    const int end = CAUSAL ? min(n, (tile + 1) * WARPS * 16 * MI) : n;  // of the keys
    global const uint4 *K16 = (global const uint4 *)(K + head * D);
    global const uint4 *V16 = (global const uint4 *)(V + head * D);

    // Queries as A, of row i * 16 + h * 8 + g; of those rows, and the lane's columns, the
    // largest score so far, and this lane's part of the sum of the weights.
    uint q[MI][4][4];
    float result[MI][8][4], most[MI][2], sum[MI][2];
    unrolled_for (int i = 0; i < MI; i++) {
        unrolled_for (int step = 0; step < 4; step++)
            unrolled_for (int r = 0; r < 4; r++) {
                const int row = first_query + i * 16 + r % 2 * 8 + g;
                const int pair = step * 8 + r / 2 * 4 + t; // of its halves
                global const uint *pairs = (global const uint *)(Q + (head + row) * D);
                q[i][step][r] = row < n ? pairs[pair] : 0;
            }
        unrolled_for (int j = 0; j < 8; j++)
            unrolled_for (int e = 0; e < 4; e++)
                result[i][j][e] = 0;
        unrolled_for (int h = 0; h < 2; h++) {
            most[i][h] = -INFINITY;
            sum[i][h] = 0;
        }
    }

    ask(keys[0], values[0], K16, V16, 0, n);
    for (int first = 0, now = 0; first < end; first += KEYS, now = 1 - now) {
        await_copies();
        barrier(CLK_LOCAL_MEM_FENCE); // others' have come, too; nobody reads the tiles before
        if (first + KEYS < end)
            ask(keys[1 - now], values[1 - now], K16, V16, first + KEYS, n);

        float score[MI][8][4]; // 8 pieces of 8 keys
        unrolled_for (int i = 0; i < MI; i++)
            unrolled_for (int j = 0; j < 8; j++)
                unrolled_for (int e = 0; e < 4; e++)
                    score[i][j][e] = 0;
        unrolled_for (int step = 0; step < 4; step++)
            unrolled_for (int j = 0; j < 8; j += 2) {
                uint b[4]; // k from 16 step on and 8 behind, of keys 8 j ..; of the next 8
                const int key = j * 8 + lane / 16 * 8 + lane % 8;
                load(b, keys[now] + swizzled(key, step * 2 + lane / 8 % 2));
                unrolled_for (int i = 0; i < MI; i++) {
                    multiply(score[i][j], q[i][step], b[0], b[1]);
                    multiply(score[i][j + 1], q[i][step], b[2], b[3]);
                }
            }

        if (first + KEYS > n || (CAUSAL && first + KEYS > first_query + 1))
            unrolled_for (int i = 0; i < MI; i++)
                unrolled_for (int j = 0; j < 8; j++)
                    unrolled_for (int e = 0; e < 4; e++) {
                        const int key = first + j * 8 + t * 2 + e % 2;
                        const int row = first_query + i * 16 + e / 2 * 8 + g;
                        if (key >= n || (CAUSAL && key > row))
                            score[i][j][e] = -INFINITY; // of which power makes 0
                    }

        // Key 0 counts for every query: from the first tile on `largest` is finite.
        unrolled_for (int i = 0; i < MI; i++)
            unrolled_for (int h = 0; h < 2; h++) {
                float largest = most[i][h];
                unrolled_for (int j = 0; j < 8; j++)
                    unrolled_for (int e = 2 * h; e < 2 * h + 2; e++)
                        largest = fmax(largest, score[i][j][e]);
                largest = fmax(largest, across(largest, 1));
                largest = fmax(largest, across(largest, 2));
                const float scale = power((most[i][h] - largest) * SCALE);
                most[i][h] = largest;
                sum[i][h] *= scale;
                unrolled_for (int j = 0; j < 8; j++)
                    unrolled_for (int e = 2 * h; e < 2 * h + 2; e++) {
                        result[i][j][e] *= scale;
                        score[i][j][e] = power(score[i][j][e] * SCALE - largest * SCALE);
                        sum[i][h] += score[i][j][e];
                    }
            }

        unrolled_for (int step = 0; step < 4; step++) {
            uint a[MI][4];
            unrolled_for (int i = 0; i < MI; i++)
                unrolled_for (int r = 0; r < 4; r++) {
                    const int j = step * 2 + r / 2, e = r % 2 * 2;
                    a[i][r] = pack(score[i][j][e], score[i][j][e + 1]);
                }
            unrolled_for (int j = 0; j < 8; j += 2) {
                uint b[4]; // keys from 16 step on and 8 behind, of columns 8 j ..; of the next 8
                const int key = step * 16 + lane % 16;
                load_transposed(b, values[now] + swizzled(key, j + lane / 16));
                unrolled_for (int i = 0; i < MI; i++) {
                    multiply(result[i][j], a[i], b[0], b[1]);
                    multiply(result[i][j + 1], a[i], b[2], b[3]);
                }
            }
        }
    }

    unrolled_for (int i = 0; i < MI; i++)
        unrolled_for (int h = 0; h < 2; h++) {
            float all = sum[i][h];
            all += across(all, 1);
            all += across(all, 2);
            const int row = first_query + i * 16 + h * 8 + g;
            global float *to = out + (head + row) * D + t * 2;
            unrolled_for (int j = 0; j < 8; j++)
                if (row < n)
                    *(global float2 *)(to + j * 8) =
                        (float2)(result[i][j][2 * h], result[i][j][2 * h + 1]) / all;
        }
}

#endif
