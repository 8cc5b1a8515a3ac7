//! What `--ablate` takes out of the kernels for GPUs. The sums stay needed: they
//! end in C, and they depend on every number that is left.

use runner::Ablation;

type Edit = (&'static str, &'static str);

const ARITHMETIC: &str = "arithmetic only";
const IN_REGISTERS: &str = "as many multiply-adds, on numbers that stay in registers";
const LOCAL: &str = "local memory only";
const READ_OFTEN: &str = "the tiles are filled once, then read as often as before";
const GLOBAL: &str = "global memory only";
const ONE_K: &str = "all tiles are fetched and put, and one k of each is used";
const NO_COPIES: &str = "no copies";
const FILLED_ONCE: &str = "the tiles are filled once; the rest is as before";
const NO_GLOBAL: &str = "no global memory";
const SAME_AGAIN: &str = "the same numbers are put into local memory every round";
const NO_BARRIERS: &str = "no barriers";
const A_RACE: &str = "nobody waits for anybody: a race, and its price";

// The sum is what is multiplied: a product of a and b would be computed once, before the loop.
const CHAIN: &str = "unrolled_for (int r = 0; r < RM; r++)
                unrolled_for (int n = 0; n < RN; n++) {
                    const int c = PLOUGH && r % 2 ? RN - 1 - n : n;
                    sum[r][c] = sum[r][c] * a[r] + b[c];
                }";
const CHAIN_OF_TWO: &str = "unrolled_for (int r = 0; r < RM; r++)
                unrolled_for (int n = 0; n < RN; n++) {
                    const int c = PLOUGH && r % 2 ? RN - 1 - n : n;
                    sum[r][c] = sum[r][c] * a[0][r] + b[0][c];
                }";
const ADD: &str = "unrolled_for (int r = 0; r < RM; r++)
                sum[r][0] += a[r];
            unrolled_for (int c = 0; c < RN; c++)
                sum[0][c] += b[c];";
const ADD_OF_TWO: &str = "unrolled_for (int r = 0; r < RM; r++)
                sum[r][0] += a[k % 2][r];
            unrolled_for (int c = 0; c < RN; c++)
                sum[0][c] += b[k % 2][c];";

// Of the kernels that take the numbers of a step right before they multiply them.
const MULTIPLY: &str = "multiply(sum, a, b);";
const TO_CHAIN: Edit = (MULTIPLY, CHAIN);
const TO_ADD: Edit = (MULTIPLY, ADD);
const USE_ONE_K: Edit = ("k < TK; k++", "k < 1; k++");
const NO_FETCH: Edit = (
    "        fetch(next_a, next_b, A4, B4, N, K, min(k0 + TK, K - TK), item);\n",
    "",
);

/// For `matmul_prefetch`.
pub const PREFETCH: &[Ablation] = {
    const NO_PUT: Edit = (
        "        put(a_tile, b_tile, next_a, next_b, item);\n        barrier(",
        "        barrier(",
    );
    const NO_TAKE: Edit = ("take(a, b, a_tile[k], b_tile[k], at);", "");
    const NOT_FULL: Edit = ("barrier(CLK_LOCAL_MEM_FENCE); // the tiles", "// the tiles");
    const NOT_READ: Edit = ("barrier(CLK_LOCAL_MEM_FENCE); // everybody", "// everybody");
    const FILL: Edit = (
        "    for (int k0 = 0;",
        "    put(a_tile, b_tile, next_a, next_b, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    take(a, b, a_tile[0], b_tile[0], at);
    for (int k0 = 0;",
    );
    &[
        part(
            ARITHMETIC,
            IN_REGISTERS,
            &[
                NO_PUT, FILL, NO_FETCH, NO_TAKE, NOT_FULL, NOT_READ, TO_CHAIN,
            ],
        ),
        part(LOCAL, READ_OFTEN, &[NO_PUT, FILL, NO_FETCH, TO_ADD]),
        part(GLOBAL, ONE_K, &[USE_ONE_K]),
        part(NO_COPIES, FILLED_ONCE, &[NO_PUT, FILL, NO_FETCH]),
        part(NO_GLOBAL, SAME_AGAIN, &[NO_FETCH]),
        part(NO_BARRIERS, A_RACE, &[NOT_FULL, NOT_READ]),
    ]
};

/// For `matmul_two_tiles`.
pub const TWO_TILES: &[Ablation] = {
    const NO_PUT: Edit = (
        "        put(a_tile[t], b_tile[t], next_a, next_b, item);\n",
        "",
    );
    const NO_TAKE: Edit = ("take(a, b, a_tile[t][k], b_tile[t][k], at);", "");
    const NO_BARRIER: Edit = ("        barrier(CLK_LOCAL_MEM_FENCE);\n", "");
    const FILL: Edit = (
        "    put(a_tile[0], b_tile[0], next_a, next_b, item);\n",
        "    put(a_tile[0], b_tile[0], next_a, next_b, item);
    put(a_tile[1], b_tile[1], next_a, next_b, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    take(a, b, a_tile[0][0], b_tile[0][0], at);\n",
    );
    &[
        part(
            ARITHMETIC,
            IN_REGISTERS,
            &[FILL, NO_BARRIER, NO_FETCH, NO_TAKE, TO_CHAIN, NO_PUT],
        ),
        part(LOCAL, READ_OFTEN, &[FILL, NO_FETCH, TO_ADD, NO_PUT]),
        part(GLOBAL, ONE_K, &[USE_ONE_K]),
        part(NO_COPIES, FILLED_ONCE, &[FILL, NO_FETCH, NO_PUT]),
        part(NO_GLOBAL, SAME_AGAIN, &[NO_FETCH]),
        part(NO_BARRIERS, A_RACE, &[NO_BARRIER]),
    ]
};

// Of the kernels that take them a step ahead, over the barrier.
const MULTIPLY_AHEAD: &str = "multiply(sum, a[k % 2], b[k % 2]);";
const CHAIN_AHEAD: Edit = (MULTIPLY_AHEAD, CHAIN_OF_TWO);
const ADD_AHEAD: Edit = (MULTIPLY_AHEAD, ADD_OF_TWO);
// What is taken for the other steps is needed by nobody, and the compiler leaves it out.
const USE_LAST_K: Edit = (
    MULTIPLY_AHEAD,
    "if (k == TK - 1)\n                multiply(sum, a[k % 2], b[k % 2]);",
);
const NO_TAKE_AHEAD: Edit = (
    "            take(a[(k + 1) % 2], b[(k + 1) % 2], a_tile[t][(k + 1) % TK], \
     b_tile[t][(k + 1) % TK],\n                 at);\n",
    "",
);
const NO_BARRIER_AHEAD: Edit = ("                barrier(CLK_LOCAL_MEM_FENCE);", "");

/// For `matmul_fragments`.
pub const FRAGMENTS: &[Ablation] = {
    const NO_PUT: Edit = (
        "                put(a_tile[1 - t], b_tile[1 - t], next_a, next_b, item);",
        "                ;",
    );
    const FILL: Edit = (
        "    put(a_tile[0], b_tile[0], next_a, next_b, item);\n",
        "    put(a_tile[0], b_tile[0], next_a, next_b, item);
    put(a_tile[1], b_tile[1], next_a, next_b, item);\n",
    );
    &[
        part(
            ARITHMETIC,
            IN_REGISTERS,
            &[
                NO_FETCH,
                NO_PUT,
                NO_BARRIER_AHEAD,
                NO_TAKE_AHEAD,
                CHAIN_AHEAD,
            ],
        ),
        part(LOCAL, READ_OFTEN, &[FILL, NO_FETCH, NO_PUT, ADD_AHEAD]),
        part(GLOBAL, ONE_K, &[USE_LAST_K]),
        part(NO_COPIES, FILLED_ONCE, &[FILL, NO_FETCH, NO_PUT]),
        part(NO_GLOBAL, SAME_AGAIN, &[NO_FETCH]),
        part(NO_BARRIERS, A_RACE, &[NO_BARRIER_AHEAD]),
    ]
};

/// For `matmul_packed_tiles`.
pub const PACKED_TILES: &[Ablation] = {
    const NO_FETCH: Edit = (
        "        fetch_packed(next_a, next_b, A4 + k1 * (TM / 4), B4 + k1 * (TN / 4));\n",
        "",
    );
    const NO_PUT: Edit = (
        "                put_packed(a_tile[1 - t][0], b_tile[1 - t][0], next_a, next_b, item);",
        "                ;",
    );
    const FILL: Edit = (
        "    put_packed(a_tile[0][0], b_tile[0][0], next_a, next_b, item);\n",
        "    put_packed(a_tile[0][0], b_tile[0][0], next_a, next_b, item);
    put_packed(a_tile[1][0], b_tile[1][0], next_a, next_b, item);\n",
    );
    &[
        part(
            ARITHMETIC,
            IN_REGISTERS,
            &[
                NO_FETCH,
                NO_PUT,
                NO_BARRIER_AHEAD,
                NO_TAKE_AHEAD,
                CHAIN_AHEAD,
            ],
        ),
        part(LOCAL, READ_OFTEN, &[FILL, NO_FETCH, NO_PUT, ADD_AHEAD]),
        part(GLOBAL, ONE_K, &[USE_LAST_K]),
        part(NO_COPIES, FILLED_ONCE, &[FILL, NO_FETCH, NO_PUT]),
        part(NO_GLOBAL, SAME_AGAIN, &[NO_FETCH]),
        part(NO_BARRIERS, A_RACE, &[NO_BARRIER_AHEAD]),
    ]
};

/// For `matmul_group_copy`. Barriers cannot be taken out alone: who runs ahead would
/// ask for a pair of tiles twice, and who is late wait for ever for the first.
pub const GROUP_COPY: &[Ablation] = {
    const NO_ASK: Edit = (
        "        ask(a_tile[1 - t][0], b_tile[1 - t][0], A4 + k1 * (TM / 4), B4 + k1 * (TN / 4),\n            \
         &arrived[1 - t], item);\n",
        "",
    );
    const NO_AWAIT: Edit = ("                await(&arrived[t], phase);\n", "");
    const FILL: Edit = (
        "    await(&arrived[0], 0);\n",
        "    await(&arrived[0], 0);
    ask(a_tile[1][0], b_tile[1][0], A4, B4, &arrived[1], item);
    await(&arrived[1], 0);\n",
    );
    &[
        part(
            ARITHMETIC,
            IN_REGISTERS,
            &[
                NO_ASK,
                NO_AWAIT,
                NO_BARRIER_AHEAD,
                NO_TAKE_AHEAD,
                CHAIN_AHEAD,
            ],
        ),
        part(LOCAL, READ_OFTEN, &[FILL, NO_ASK, NO_AWAIT, ADD_AHEAD]),
        part(
            GLOBAL,
            "all tiles are copied, and one k of each is used",
            &[USE_LAST_K],
        ),
        part(NO_COPIES, FILLED_ONCE, &[FILL, NO_ASK, NO_AWAIT]),
    ]
};

const fn part(name: &'static str, shows: &'static str, edits: &'static [Edit]) -> Ablation {
    Ablation { name, shows, edits }
}
