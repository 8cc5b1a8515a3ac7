// Lesson 6: one group of matmul_tiled, step after step along k.
"use strict";
{
    const { upTo, walk, total, tiled } = play.counting;
    const { Sheet, choice, range, place, plural, whole } = play;

    /** Rows and columns of C; a cell is an element. */
    const [SIDE, CELL] = [16, 13];
    const LONG = SIDE * CELL;
    const [NEAR, FAR, HIGH] = [24, 256, 470];
    /** The group that is looked at, along both dimensions. */
    const GROUP = 1;
    const [A_TILE, B_TILE, TILES, ROOM] = [24, 136, 64, 96];

    const shape = ({ side, k }) => ({ m: SIDE, n: SIDE, k, side });
    const steps = (state) => walk(shape(state), [GROUP, GROUP]);

    const widget = {
        figure: "tile-walk",
        title: "Play with the walk of a tile",
        key: "Pink: an item, and what it touches. Framed in green: local memory.",
        items: ({ side }) => ({ count: side * side, across: side }),
        controls: [
            range("step", "Step", (state) => upTo(steps(state).length), (step, state) => `${step + 1} of ${steps(state).length}`),
            choice("side", "Side of a tile, TS", [[2, "2"], [4, "4"], [8, "8"]]),
            range("k", "K, columns of A and rows of B", upTo(13).map((n) => n + 4), String),
        ],
        tasks: [
            {
                says: "Step on to the first moment when an item may read what <b>others</b> have copied.",
                start: start({}),
                met: (_, { step, at }) => at === 2 && step.does === "add",
                why: "The barrier lies between. Without it, an item could read an element that nobody has copied yet.",
            },
            {
                says: "Find the side with which A and B are read from global memory <b>8 times</b> less often than by the naive kernel.",
                start: start({}),
                met: (_, { less }) => less === 8,
                why: "Each element is copied once for a whole tile, and then read TS times from local memory.",
            },
            {
                says: "Let the last pair of tiles be <b>half</b> zeros, and step to the moment when they are copied.",
                start: start({ side: 8, k: 16, item: 0 }),
                met: ({ side, k }, { step }) => 2 * (k % side) === side && step.does === "copy" && step.round === Math.floor(k / side),
                why: "Zeros add nothing to a sum, so every item makes the same steps: no barrier is missed.",
            },
        ],
        draw,
    };

    function start(differs) {
        return { step: 0, side: 4, k: 16, item: 1, ...differs };
    }

    function draw(state) {
        const all = steps(state);
        // A smaller product has fewer steps.
        state.step = Math.min(state.step, all.length - 1);
        const step = all[state.step];
        const sheet = new Sheet(480, HIGH);
        const [x, y] = [state.item % state.side, Math.floor(state.item / state.side)];
        matrices(sheet, state, step, [x, y]);
        tiles(sheet, state, step, [x, y]);
        phases(sheet, state, step);
        const soFar = total(all.slice(0, state.step + 1));
        const whole = tiled(shape(state));
        const naive = 2 * SIDE * SIDE * state.k;
        const less = naive / (whole.globalA + whole.globalB);
        return {
            sheet,
            counted: { step, at: state.step, less },
            result: result(soFar),
            detail: `${says(state, step, [x, y])} ${inAll(whole, naive, less)}`,
        };
    }

    /** A to the left of C, B above it. */
    function matrices(sheet, state, step, [x, y]) {
        const { side, k } = state;
        const first = GROUP * side * CELL;
        const [deep, walked] = [k * CELL, step.round * side * CELL];
        const tile = side * CELL;
        const current = ["copy", "barrier"].includes(step.does) && !step.again;
        grid(sheet, NEAR, FAR, k, SIDE);
        grid(sheet, FAR, NEAR, SIDE, k);
        grid(sheet, FAR, FAR, SIDE, SIDE);
        sheet.rect("a-soft", NEAR, FAR + first, Math.min(walked, deep), tile);
        sheet.rect("b-soft", FAR + first, NEAR, tile, Math.min(walked, deep));
        sheet.rect("wait", NEAR + walked, FAR + first, tile, tile);
        sheet.rect("wait", FAR + first, NEAR + walked, tile, tile);
        const deepNow = Math.min(tile, deep - walked);
        if (step.does !== "store") {
            sheet.rect(current ? "a" : "a-soft", NEAR + walked, FAR + first, deepNow, tile);
            sheet.rect(current ? "b" : "b-soft", FAR + first, NEAR + walked, tile, deepNow);
        }
        sheet.rect(step.does === "store" ? "c" : "c-soft", FAR + first, FAR + first, tile, tile);
        const mine = (left, top) => sheet.rect("item", left + x * CELL, top + y * CELL, CELL, CELL);
        if (step.does === "copy") {
            if (step.round * side + x < k) mine(NEAR + walked, FAR + first);
            if (step.round * side + y < k) mine(FAR + first, NEAR + walked);
        }
        mine(FAR + first, FAR + first);
        for (const item of upTo(side * side)) {
            const [left, top] = [(item % side) * CELL, Math.floor(item / side) * CELL];
            for (const [from, down] of [[FAR + first, FAR + first], [NEAR + walked, FAR + first], [FAR + first, NEAR + walked]]) {
                sheet.rect("touch", from + left, down + top, CELL, CELL, item);
            }
        }
        sheet.text("bold a", NEAR, FAR - 8, "A");
        sheet.text("bold b", FAR, NEAR - 8, "B");
        sheet.text("bold c", FAR, FAR - 8, "C");
        sheet.text("small soft end", NEAR + LONG, FAR - 8, "k →");
        sheet.text("small soft end", FAR + LONG, NEAR - 8, "k ↓");
    }

    function grid(sheet, left, top, columns, rows) {
        sheet.rect("cell", left, top, columns * CELL, rows * CELL);
        for (const i of upTo(columns - 1)) sheet.line("grid", [left + (i + 1) * CELL, top], [left + (i + 1) * CELL, top + rows * CELL]);
        for (const i of upTo(rows - 1)) sheet.line("grid", [left, top + (i + 1) * CELL], [left + columns * CELL, top + (i + 1) * CELL]);
    }

    /** Local memory: both tiles, larger, with what the chosen item reads or writes. */
    function tiles(sheet, state, step, [x, y]) {
        const { side, k } = state;
        const cell = ROOM / side;
        const there = step.does !== "store";
        const fill = (left, name, isZero) => {
            for (const i of upTo(side * side)) {
                const [column, row] = [i % side, Math.floor(i / side)];
                const zero = there && isZero(column, row);
                sheet.rect(there && !zero ? name : "cell", left + column * cell, TILES + row * cell, cell, cell, i);
                if (zero && cell > 11) sheet.text("small soft middle", left + (column + 0.5) * cell, TILES + (row + 0.5) * cell + 4.5, "0");
            }
            sheet.rect("tile", left, TILES, ROOM, ROOM);
        };
        const beyond = (inner) => step.round * side + inner >= k;
        fill(A_TILE, "a", (column) => beyond(column));
        fill(B_TILE, "b", (_, row) => beyond(row));
        const mark = (left, column, row) => sheet.rect("item", left + column * cell, TILES + row * cell, cell, cell);
        if (step.does === "copy") {
            mark(A_TILE, x, y);
            mark(B_TILE, x, y);
        } else if (step.does === "add") {
            mark(A_TILE, step.inner, y);
            mark(B_TILE, x, step.inner);
        }
        sheet.text("small bold a", A_TILE, TILES - 8, "a_tile");
        sheet.text("small bold b", B_TILE, TILES - 8, "b_tile");
    }

    /** Which part of the iteration it is. */
    function phases(sheet, { side, k }, { round, does, inner, again }) {
        const rounds = Math.ceil(k / side);
        const now = does === "store" ? "the end: store" : `iteration ${round + 1} of ${rounds}`;
        sheet.text("bold", A_TILE, 30, now);
        const parts = [
            ["copy", does === "copy", 44],
            ["barrier", does === "barrier" && !again, 56],
            [does === "add" ? `k = ${inner}` : "add up", does === "add", 56],
            ["barrier", does === "barrier" && again, 56],
        ];
        let left = A_TILE - 10;
        for (const [words, isNow, wide] of parts) {
            sheet.rect(isNow ? "now" : "box", left, 180, wide, 30);
            sheet.text(`tiny middle${isNow ? " bold" : ""}`, left + wide / 2, 199, words);
            left += wide + 4;
        }
    }

    function result({ globalA, globalB, localLoads, barriers }) {
        return `<b>So far this group</b> has read ${whole(globalA + globalB)} elements from global, ` +
            `${whole(localLoads)} from local memory, and passed ${plural(barriers, "barrier")}.`;
    }

    function says({ side, k }, { round, does, inner, again }, [x, y]) {
        const me = `Item (${x}, ${y})`;
        const [row, column, k0] = [GROUP * side + y, GROUP * side + x, round * side];
        if (does === "copy") {
            const a = k0 + x < k ? `A[${row}][${k0 + x}]` : "a zero";
            const b = k0 + y < k ? `B[${k0 + y}][${column}]` : "a zero";
            return `${me} copies ${a} to a_tile[${y}][${x}], and ${b} to b_tile[${y}][${x}].`;
        }
        if (does === "add") return `${me} adds a_tile[${y}][${inner}] * b_tile[${inner}][${x}] to its sum.`;
        if (does === "store") return `${me} stores its sum to C[${row}][${column}].`;
        if (again) return `${me} waits: nobody may overwrite a tile that another item still reads.`;
        return `${me} waits until all ${side * side} items have copied: both tiles are whole.`;
    }

    function inAll({ globalA, globalB }, naive, less) {
        return `All groups together read ${whole(globalA + globalB)} elements of A and B from global memory; ` +
            `the naive kernel reads ${whole(naive)}, ${Math.round(less * 10) / 10} times as many.`;
    }

    place(widget);
}
