// What the four things to play with count. tests/book/cases.json is what it must come to:
// the kernels' own index expressions, the simulator's counts, and recorded runs, as they came
// out once. These fail `cargo xtask pages --check` where a kernel has changed since:
//
// drawn for 04-coalescing.cl matmul_id0_rows: row = get_global_id(0)
// drawn for 04-coalescing.cl matmul_id0_rows: A[row * K + k]
// drawn for 04-coalescing.cl matmul_id0_rows: B[k * N + column]
// drawn for 04-coalescing.cl matmul_id0_columns: column = get_global_id(0)
// drawn for 04-coalescing.cl matmul_id0_columns: A[row * K + k]
// drawn for 04-coalescing.cl matmul_id0_columns: B[k * N + column]
// drawn for 04-coalescing.cl matmul_id0_rows_bt: row = get_global_id(0)
// drawn for 04-coalescing.cl matmul_id0_rows_bt: A[row * K + k]
// drawn for 04-coalescing.cl matmul_id0_rows_bt: Bt[column * K + k]
// drawn for 04-coalescing.cl matmul_id0_columns_bt: column = get_global_id(0)
// drawn for 04-coalescing.cl matmul_id0_columns_bt: A[row * K + k]
// drawn for 04-coalescing.cl matmul_id0_columns_bt: Bt[column * K + k]
// drawn for 04-coalescing.cl copy_stride: out[j * columns + i] = in[i * stride + j]
// drawn for 04-coalescing.cl copy_offset: out[i] = in[i + offset]
// drawn for 06-local-memory.cl transpose_tile: SIDE=32
// drawn for 06-local-memory.cl transpose_tile: tile[SIDE][SIDE + PAD]
// drawn for 06-local-memory.cl transpose_tile: = tile[x][y];
//
// Classic scripts, not modules: a browser loads no module from a file, and the book is
// read from files. Each script adds its part to `play`; book.toml names them in order.
"use strict";
const play = {};
{
    /** Items that run in lockstep on an NVIDIA GPU, and its banks of local memory. */
    const WARP = 32;
    /** Bytes of a float. */
    const FLOAT = 4;
    /** Sides of the matrices that a warp reads from. */
    const SIDE = 1024;

    /** The numbers 0 to n - 1. */
    const upTo = (n) => [...Array(n).keys()];
    const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

    /** The sectors of `size` bytes that accesses of `width` bytes at these addresses touch. */
    function sectors(addresses, width, size) {
        const touched = new Set();
        for (const at of addresses) {
            const last = Math.floor((at + width - 1) / size);
            for (let sector = Math.floor(at / size); sector <= last; sector++) touched.add(sector);
        }
        return [...touched].sort((one, other) => one - other);
    }

    /** The ids of a warp's items in a group that is `group` items wide. */
    const ids = (group) => upTo(WARP).map((item) => [item % group, Math.floor(item / group)]);

    /** Row and column of C of each item of a warp. */
    function elements({ mapping, group }) {
        return ids(group).map(([id0, id1]) =>
            mapping === "rows" ? { row: id0, column: id1 } : { row: id1, column: id0 });
    }

    /** Addresses that a warp of a matrix product reads at k = 0, in bytes. */
    function product({ mapping, transposed, group, bytes }) {
        const items = elements({ mapping, group });
        return {
            A: items.map(({ row }) => row * SIDE * bytes),
            B: items.map(({ column }) => (transposed ? column * SIDE : column) * bytes),
        };
    }

    /** Addresses, in bytes, that a warp of lesson 4's copies touches. */
    function copy({ stride, offset, group, bytes }) {
        const items = ids(group);
        return {
            in: items.map(([i, j]) => (i * stride + j + offset) * bytes),
            out: items.map(([i, j]) => (j * SIDE + i) * bytes),
        };
    }

    /** The words of a tile that each item reads: `floats` from the beginning of its row. */
    const column = ({ row, padding, floats }) =>
        upTo(WARP).map((item) => upTo(floats).map((word) => item * (row + padding) + word));

    /** How many different words each bank must deliver. */
    function banks(words) {
        const asked = upTo(WARP).map(() => new Set());
        for (const word of words) asked[word % WARP].add(word);
        return asked.map((words) => words.size);
    }

    /** Banks work at the same time, each a word at a time: the busiest one decides. */
    const passes = (words) => Math.max(...banks(words));

    /**
     * What one group of lesson 6's matmul_tiled does, step after step. `reads` and `writes`
     * are elements, of all its items together; matrices are m x k and k x n.
     */
    function walk({ m, n, k, side }, [groupX, groupY]) {
        const rows = Math.min(side, m - groupY * side);
        const columns = Math.min(side, n - groupX * side);
        const steps = [];
        const rounds = Math.ceil(k / side);
        for (let round = 0; round < rounds; round++) {
            const deep = Math.min(side, k - round * side);
            const step = (does, more = {}) => steps.push({ round, does, ...more });
            step("copy", { globalA: rows * deep, globalB: deep * columns, localStores: 2 * side * side });
            step("barrier", { barriers: 1 });
            for (let inner = 0; inner < side; inner++) step("add", { inner, localLoads: 2 * side * side });
            step("barrier", { barriers: 1, again: true });
        }
        steps.push({ round: rounds - 1, does: "store", globalStores: rows * columns });
        return steps;
    }

    const COUNTED = ["globalA", "globalB", "globalStores", "localLoads", "localStores", "barriers"];

    /** What these steps come to. */
    const total = (steps) =>
        Object.fromEntries(COUNTED.map((name) => [name, sum(steps.map((step) => step[name] ?? 0))]));

    /** What all groups of a product come to. */
    function tiled({ m, n, k, side }) {
        const groups = upTo(Math.ceil(n / side)).flatMap((x) => upTo(Math.ceil(m / side)).map((y) => [x, y]));
        return total(groups.flatMap((group) => walk({ m, n, k, side }, group)));
    }

    /** What the shape of a group's tile and of an item's tile decides. */
    function tile({ TM, TN, TK, RM, RN }) {
        return {
            items: (TM / RM) * (TN / RN),
            localBytes: (TM + TN) * TK * FLOAT,
            localLoads: 1 / RM + 1 / RN,
            sums: RM * RN,
        };
    }

    /** Operations for each byte that such a kernel asks of global memory. */
    function intensity({ TM, TN }, { m, n, k }) {
        const loads = m * n * k * (1 / TM + 1 / TN);
        return (2 * m * n * k) / (FLOAT * (loads + m * n));
    }

    /** GFLOP/s that a device can reach at most with this intensity. */
    const bound = ({ gflops, gbytes }, intensity) => Math.min(gflops, intensity * gbytes);

    play.counting = {
        WARP, upTo, sectors, ids, elements, product, copy,
        column, banks, passes, walk, total, tiled, tile, intensity, bound,
    };
}
