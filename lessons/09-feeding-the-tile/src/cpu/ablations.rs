//! What `--ablate` takes out of the kernels for CPUs. The sums stay needed: they
//! end in C, and they depend on every number that is left.

use runner::Ablation;

type Edit = (&'static str, &'static str);

const B_FROM_PANEL: Edit = ("b_panel[k * VECTORS + v]", "(realW)(panel + v + 1)");
// Below 1/2, so that a sum that is multiplied by it stays small.
const A_FROM_ROW: Edit = ("a_row[r][k]", "(r + 1) * (REAL)0.05f");
const A_FROM_PANEL: Edit = ("a_panel[k * ROWS + r]", "(r + 1) * (REAL)0.05f");
// The sum is what is multiplied: a product of a and b would be computed once, before the loop.
const CHAIN: Edit = (
    "sum[r][v] += a * b[v];",
    "sum[r][v] = sum[r][v] * a + b[v];",
);
const ADD_ONCE: Edit = (
    "sum[r][v] += a * b[v];",
    "{ if (v == 0) sum[r][v] += a; if (r == 0) sum[r][v] += b[v]; }",
);

const LOADS: Ablation = Ablation {
    name: "loads only",
    shows: "A and B are read as often, with an addition for each load",
    edits: &[ADD_ONCE],
};
const B_NEAR: Ablation = Ablation {
    name: "B from the nearest cache",
    shows: "the same loads, always of the same four rows of a panel",
    edits: &[("b_panel[k * VECTORS", "b_panel[k % 4 * VECTORS")],
};

/// For the kernels that read A as it lies.
pub const PACKED_B: &[Ablation] = &[
    Ablation {
        name: "arithmetic only",
        shows: "as many multiply-adds, on numbers that are in registers",
        edits: &[B_FROM_PANEL, A_FROM_ROW, CHAIN],
    },
    LOADS,
    B_NEAR,
];

/// For the kernel that reads panels of A.
pub const PACKED_AB: &[Ablation] = &[
    Ablation {
        name: "arithmetic only",
        shows: "as many multiply-adds, on numbers that are in registers",
        edits: &[B_FROM_PANEL, A_FROM_PANEL, CHAIN],
    },
    LOADS,
    B_NEAR,
];
