// Lesson 6: 32 items read down a column of a tile; how often each bank is asked.
"use strict";
{
    const { WARP, upTo, column, banks } = play.counting;
    const { Sheet, choice, range, place, plural } = play;
    const { side } = play.facts.banks;

    const [LEFT, CELL, HIGH] = [8, 14.5, 6.2];
    const [BARS, MEMORY] = [76, 100];
    /** Of the longest rows with the widest padding. */
    const LINES = 40;
    const TYPES = { 1: "float", 2: "float2", 4: "float4" };

    const widget = {
        figure: "banks",
        title: "Play with the banks of local memory",
        key: "Below, a column is a bank, and a box a word of four bytes. Pink: what the 32 items read; framed: the item that you follow.",
        items: () => ({ count: WARP, across: 1 }),
        controls: [
            range("row", "Row of the tile", upTo(29).map((n) => n + 8), (n) => plural(n, "float")),
            range("padding", "Padding", [0, 1, 2, 3, 4], (n) => plural(n, "float")),
            choice("floats", "An item reads a", Object.entries(TYPES).map(([n, name]) => [Number(n), name])),
        ],
        tasks: [
            {
                says: "All 32 items want the same bank, which serves them one after the other. Find the least <b>padding</b> with which one pass is enough.",
                start: start({}),
                met: ({ row, padding, floats }, { passes }) => row === side && floats === 1 && padding === 1 && passes === 1,
                why: "Each row begins one bank further on, so the column lies on a diagonal.",
            },
            {
                says: "Without padding: find another <b>row length</b> that needs one pass.",
                start: start({}),
                met: ({ padding, floats }, { passes }) => padding === 0 && floats === 1 && passes === 1,
                why: "Every odd length does. It shares no factor with 32, so 32 steps of it visit all 32 banks.",
            },
            {
                says: "Each item reads a <code>float4</code>: 128 words from 32 banks, at least 4 passes. Find the <b>padding</b> that needs no more.",
                start: start({ floats: 4 }),
                met: ({ row, floats }, { passes }) => row === side && floats === 4 && passes === 4,
                why: "Four floats. That keeps every row aligned, and spreads the rows over all banks: lesson 8's PAD 4.",
            },
        ],
        draw,
    };

    function start(differs) {
        return { row: side, padding: 0, floats: 1, item: 5, ...differs };
    }

    function draw(state) {
        const sheet = new Sheet(480, MEMORY + HIGH * LINES + 8);
        const length = state.row + state.padding;
        const aligned = length % state.floats === 0;
        const words = aligned ? column(state) : upTo(WARP).map(() => []);
        const asked = banks(words.flat());
        const passes = aligned ? Math.max(...asked) : Infinity;
        bars(sheet, state, asked, words[state.item]);
        memory(sheet, state, words);
        return { sheet, counted: { passes }, result: result(state, asked, passes), detail: detail(state, words, asked) };
    }

    /** Above each bank, how many words it must deliver. */
    function bars(sheet, state, asked, mine) {
        const most = Math.max(...asked);
        const unit = 50 / WARP;
        asked.forEach((count, bank) => {
            const chosen = mine.some((word) => word % WARP === bank);
            const high = count > 0 ? Math.max(3, unit * count) : 0;
            sheet.rect(chosen ? "item" : "local", LEFT + CELL * bank + 2, BARS - high, CELL - 4, high);
        });
        sheet.text("small soft", LEFT, 15, "words that each bank must deliver");
        sheet.line("axis", [LEFT, BARS], [LEFT + CELL * WARP, BARS]);
        if (most > 0) {
            const high = BARS - unit * most - 2;
            sheet.line("limit", [LEFT, high], [LEFT + CELL * WARP, high]);
            sheet.text("bold limit end", LEFT + CELL * WARP, high - 5, plural(most, "pass"));
        }
        sheet.text("small soft", LEFT, MEMORY - 8, "bank 0");
        sheet.text("small soft end", LEFT + CELL * WARP, MEMORY - 8, "bank 31");
        sheet.text("small soft middle", LEFT + (CELL * WARP) / 2, MEMORY - 8, "the tile, a line for each 32 words");
    }

    function memory(sheet, { row, padding, item }, words) {
        const length = row + padding;
        const place = (word) => [LEFT + CELL * (word % WARP), MEMORY + HIGH * Math.floor(word / WARP)];
        const end = WARP * length;
        for (let first = 0; first < end; first += WARP) {
            sheet.rect("local", ...place(first), CELL * Math.min(WARP, end - first), HIGH);
        }
        for (const line of upTo(WARP)) {
            for (const unused of upTo(padding)) sheet.rect("cell", ...place(line * length + row + unused), CELL, HIGH);
        }
        words.forEach((mine, reader) => mine.forEach((word) => sheet.rect("item", ...place(word), CELL, HIGH)));
        for (const word of words[item]) sheet.rect("frame chosen", ...place(word), CELL, HIGH);
        // A row of the tile is its reader's, up to the last bank: more room for fingers.
        for (const reader of upTo(WARP)) {
            const wide = Math.min(length, WARP - ((reader * length) % WARP));
            sheet.rect("touch", ...place(reader * length), CELL * wide, HIGH, reader);
        }
    }

    function result({ row, padding, floats }, asked, passes) {
        if (passes === Infinity) {
            return `<b>Not aligned:</b> rows of ${row + padding} floats, where a <code>${TYPES[floats]}</code> begins at a multiple of ${floats}.`;
        }
        const busy = asked.filter((count) => count > 0).length;
        const fewest = floats;
        const more = passes > fewest ? `, ${passes / fewest} times the least` : ", the least there can be";
        return `<b>${plural(passes, "pass")}</b>${more}: ${plural(32 * floats, "word")} from ${plural(busy, "bank")}.`;
    }

    function detail({ item, floats }, words, asked) {
        const [first] = words[item];
        if (first === undefined) return "Change the row, the padding or the type.";
        const bank = first % WARP;
        const where = floats === 1 ? `word ${first}, in bank ${bank}` : `words ${first} to ${first + floats - 1}, from bank ${bank} on`;
        return `Item ${item} reads the beginning of row ${item}: ${where}. That bank must deliver ${plural(asked[bank], "word")}, one in each pass.`;
    }

    place(widget);
}
