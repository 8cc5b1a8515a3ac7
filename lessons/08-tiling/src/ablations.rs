//! What `--ablate` takes out of the kernels. The sums stay needed in all of them:
//! they end in C, and they depend on every number that is left.

use runner::Ablation;

/// For `matmul_register_tile`.
pub const REGISTER_TILE: &[Ablation] = &[
    Ablation {
        name: "arithmetic only",
        shows: "as many multiply-adds, on numbers that are in registers",
        edits: &[
            NO_FILL_A,
            NO_FILL_B,
            NO_BARRIER_FULL,
            NO_BARRIER_READ,
            B_FROM_X,
            A_FROM_ROW,
            CHAIN,
        ],
    },
    Ablation {
        name: "local memory only",
        shows: "the tiles are filled once, then read as often as before",
        edits: &[FILL_A_ONCE, FILL_B_ONCE, ADD_ONCE],
    },
    Ablation {
        name: "global memory only",
        shows: "the tiles are filled, and one k of each is used",
        edits: &[("k < TK; k++", "k < 1; k++")],
    },
    Ablation {
        name: "no global memory",
        shows: "the tiles are filled with numbers that no load brings",
        edits: &[
            ("A[(row0 + i / TK) * K + k0 + i % TK]", "(REAL)(k0 + i)"),
            ("B[(k0 + i / TN) * N + column0 + i % TN]", "(REAL)(k0 - i)"),
        ],
    },
    Ablation {
        name: "no barriers",
        shows: "nobody waits for anybody: a race, and its price",
        edits: &[NO_BARRIER_FULL, NO_BARRIER_READ],
    },
];

type Edit = (&'static str, &'static str);

// Memory that was never written would be anything, and the compiler would leave it out.
const FILL_A_ONCE: Edit = (
    "round < TM * TK / ITEMS",
    "round < (k0 ? 0 : TM * TK / ITEMS)",
);
const FILL_B_ONCE: Edit = (
    "round < TK * TN / ITEMS",
    "round < (k0 ? 0 : TK * TN / ITEMS)",
);
const NO_FILL_A: Edit = ("round < TM * TK / ITEMS", "round < 0");
const NO_FILL_B: Edit = ("round < TK * TN / ITEMS", "round < 0");
const NO_BARRIER_FULL: Edit = ("barrier(CLK_LOCAL_MEM_FENCE);\n\n", "\n\n");
const NO_BARRIER_READ: Edit = ("barrier(CLK_LOCAL_MEM_FENCE);\n    }", "\n    }");
const B_FROM_X: Edit = ("b_tile[k][x + c * GX]", "(REAL)(x + c + 1)");
// Below 1/2, so that a sum that is multiplied by it stays small.
const A_FROM_ROW: Edit = ("a_tile[y + r * GY][k]", "(r + 1) * (REAL)0.05f");
// The sum is what is multiplied: a product of a and b would be computed once, before the loop.
const CHAIN: Edit = (
    "sum[r][c] += a * b[c];",
    "sum[r][c] = sum[r][c] * a + b[c];",
);
const ADD_ONCE: Edit = (
    "                for (int c = 0; c < RN; c++)\n                    sum[r][c] += a * b[c];",
    "                sum[r][0] += a + b[r % RN];",
);

/// For `matmul_register_tile_vector`.
pub const REGISTER_TILE_VECTOR: &[Ablation] = &[
    Ablation {
        name: "arithmetic only",
        shows: "as many multiply-adds, on numbers that are in registers",
        edits: &[
            ("round < TM * TK / 4 / ITEMS", "round < 0"),
            ("round < TK * TN / 4 / ITEMS", "round < 0"),
            NO_BARRIER_FULL,
            NO_BARRIER_READ,
            ("b_tile[k][x + j * GX]", "(real4)(x + j + 1)"),
            (
                "*(local const real4 *)&a_tile[k][4 * (y + i * GY)]",
                "(real4)((i + 1) * (REAL)0.2f)",
            ),
            (
                "0][j] += a.s0 * b[j];",
                "0][j] = sum[4 * i + 0][j] * a.s0 + b[j];",
            ),
            (
                "1][j] += a.s1 * b[j];",
                "1][j] = sum[4 * i + 1][j] * a.s1 + b[j];",
            ),
            (
                "2][j] += a.s2 * b[j];",
                "2][j] = sum[4 * i + 2][j] * a.s2 + b[j];",
            ),
            (
                "3][j] += a.s3 * b[j];",
                "3][j] = sum[4 * i + 3][j] * a.s3 + b[j];",
            ),
        ],
    },
    Ablation {
        name: "local memory only",
        shows: "the tiles are filled once, then read as often as before",
        edits: &[
            (
                "round < TM * TK / 4 / ITEMS",
                "round < (k0 ? 0 : TM * TK / 4 / ITEMS)",
            ),
            (
                "round < TK * TN / 4 / ITEMS",
                "round < (k0 ? 0 : TK * TN / 4 / ITEMS)",
            ),
            (
                "                    sum[4 * i + 0][j] += a.s0 * b[j];\n",
                "",
            ),
            (
                "                    sum[4 * i + 1][j] += a.s1 * b[j];\n",
                "",
            ),
            (
                "                    sum[4 * i + 2][j] += a.s2 * b[j];\n",
                "",
            ),
            (
                "sum[4 * i + 3][j] += a.s3 * b[j];",
                "sum[4 * i][j] += a + b[j];",
            ),
        ],
    },
    Ablation {
        name: "global memory only",
        shows: "the tiles are filled, and one k of each is used",
        edits: &[("k < TK; k++", "k < 1; k++")],
    },
    Ablation {
        name: "no global memory",
        shows: "the tiles are filled with numbers that no load brings",
        edits: &[
            ("A4[row * (K / 4) + (k0 + k) / 4]", "(real4)(k0 + i)"),
            (
                "B4[(k0 + i / (TN / 4)) * (N / 4) + i % (TN / 4)]",
                "(real4)(k0 - i)",
            ),
        ],
    },
    Ablation {
        name: "no barriers",
        shows: "nobody waits for anybody: a race, and its price",
        edits: &[NO_BARRIER_FULL, NO_BARRIER_READ],
    },
];

/// For `matmul_register_tile_private`.
pub const PRIVATE: &[Ablation] = &[
    Ablation {
        name: "arithmetic only",
        shows: "as many multiply-adds, on numbers that are in registers",
        edits: &[
            (
                "B_wide[k * row_length + vector0 + v]",
                "(realP)(vector0 + v + 1)",
            ),
            ("A[(row0 + r) * K + k]", "(r + 1) * (REAL)0.05f"),
            (
                "sum[r][v] += a * b[v];",
                "sum[r][v] = sum[r][v] * a + b[v];",
            ),
        ],
    },
    Ablation {
        name: "loads only",
        shows: "A and B are read as often, with an addition for each load",
        edits: &[(
            "            #pragma unroll\n            for (int v = 0; v < P_VECTORS; v++)\n                \
             sum[r][v] += a * b[v];",
            "            sum[r][0] += a;\n            if (r < P_VECTORS)\n                \
             sum[0][r % P_VECTORS] += b[r % P_VECTORS];",
        )],
    },
    Ablation {
        name: "B from the nearest cache",
        shows: "the same loads, always of the same four rows of B",
        edits: &[("B_wide[k * row_length", "B_wide[k % 4 * row_length")],
    },
];
