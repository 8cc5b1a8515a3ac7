// Lesson 4: 32 items above and below which lie the sectors that they touch.
"use strict";
{
    const { WARP, sectors, ids, elements, product, copy } = play.counting;
    const { Sheet, choice, range, place, plural, whole } = play;

    const isProduct = (state) => state.kernel === "product";
    const isCopy = (state) => state.kernel === "copy";
    const [WIDTH, HEIGHT, EDGE] = [480, 244, 10];
    const ITEMS = HEIGHT / 2;

    const widget = {
        figure: "coalescing",
        title: "Play with coalescing: which items touch which sectors",
        key: "A dot is an item, the violet frame a warp, and a box a sector, coloured strongly where it is used.",
        items: ({ group }) => ({ count: WARP, across: group }),
        controls: [
            choice("kernel", "Kernel", [["product", "product"], ["copy", "copy"]]),
            { ...choice("mapping", "id 0 counts", [["rows", "rows"], ["columns", "columns"]]), only: isProduct },
            { ...choice("transposed", "B", [[false, "as it is"], [true, "transposed"]]), only: isProduct },
            { ...range("stride", "Stride", [1, 2, 3, 4, 5, 6, 7, 8, 12, 16], (n) => plural(n, "element")), only: isCopy },
            { ...range("offset", "Offset", [0, 1, 2, 3, 4, 5, 6, 7, 8], (n) => plural(n, "element")), only: isCopy },
            range("group", "Group shape", [32, 16, 8, 4, 2, 1], (n) => `${n} wide, a warp is ${n} x ${WARP / n}`),
            choice("bytes", "Element", [[4, "float"], [8, "double"], [16, "float4"]]),
            choice("size", "Sector", [[32, "32 B"], [64, "64 B"], [128, "128 B"]]),
        ],
        tasks: [
            {
                says: "The 32 items of a warp touch 33 sectors at once. Find the <b>mapping</b> (what id 0 counts) with which they touch 5.",
                start: start({ mapping: "rows" }),
                met: (state, { sum }) => isProduct(state) && !state.transposed && floats(state) && sum === 5,
                why: "Neighbours now read neighbours of B. The one element of A serves all 32.",
            },
            {
                says: "Five is not the least. Find a <b>group shape</b> with 4 sectors.",
                start: start({ mapping: "columns" }),
                met: (state, { sum }) => isProduct(state) && floats(state) && sum === 4,
                why: "Two rows of sixteen: 2 sectors of A and 2 of B. The squarer the warp, the more its items share.",
            },
            {
                says: "B is transposed now. Find a group shape with 12 sectors.",
                start: start({ mapping: "columns", transposed: true }),
                met: (state, { sum }) => isProduct(state) && state.transposed && floats(state) && sum === 12,
                why: "Each row of the warp is a sector of A, each column one of B: 4 + 8 is the least that a product of 32 allows.",
            },
            {
                says: "A copy. Find the smallest <b>stride</b> with which each item reads a sector of its own.",
                start: start({ kernel: "copy" }),
                met: (state, { counts }) => isCopy(state) && floats(state) && state.group === WARP && state.stride === 8 && counts.in >= WARP,
                why: "Eight floats are a sector. Beyond, it costs no more: the sectors only lie further apart.",
            },
            {
                says: "Keep stride 8. Find a group shape with which reads and writes together touch 12 sectors.",
                start: start({ kernel: "copy", stride: 8 }),
                met: (state, { sum }) => isCopy(state) && floats(state) && state.stride === 8 && sum === 12,
                why: "Items that differ in id 1 read the rest of the sectors that their neighbours fetched.",
            },
            {
                says: "Read neighbours again, but let the 32 items touch 5 sectors of <code>in</code>.",
                start: start({ kernel: "copy" }),
                met: (state, { counts }) => isCopy(state) && floats(state) && state.stride === 1 && state.group === WARP && counts.in === 5,
                why: "A read that does not begin where a sector begins touches one more. Offset 8 is a whole sector: 4 again.",
            },
        ],
        draw,
    };

    function start(differs) {
        const usual = { kernel: "product", mapping: "columns", transposed: false, stride: 1, offset: 0 };
        return { ...usual, group: WARP, bytes: 4, size: 32, item: 5, ...differs };
    }

    /** The tasks' counts are those of floats in sectors of 32 bytes. */
    function floats({ bytes, size }) {
        return bytes === 4 && size === 32;
    }

    function draw(state) {
        const sheet = new Sheet(WIDTH, HEIGHT);
        const [above, below] = arrays(state);
        const places = itemPlaces(state.group);
        const shared = [above, below].map((array) => {
            const up = array === above;
            array.sectors = sectors(array.addresses, state.bytes, state.size);
            drawArray(sheet, state, array, up, places);
            return sharing(state, array);
        });
        sheet.rect("warp", 4, ITEMS - 11, WIDTH - 8, 22);
        places.forEach((x, item) => sheet.dot(item === state.item ? "item" : "item-soft", x, ITEMS, 5.5));
        // Higher than a dot, for fingers.
        places.forEach((x, item) => sheet.rect("touch", x - 6, ITEMS - 30, 12, 60, item));
        const counts = Object.fromEntries([above, below].map(({ name, sectors }) => [name, sectors.length]));
        const sum = above.sectors.length + below.sectors.length;
        return { sheet, counted: { counts, sum }, result: result(state, above, below, sum), detail: detail(state, above, below, shared) };
    }

    /** What the kernel touches: a name, its colour, the addresses, and how an element is named. */
    function arrays(state) {
        if (isProduct(state)) {
            const touched = product(state);
            const b = ({ row, column }) => (state.transposed ? `B[${column}][k]` : `B[k][${column}]`);
            const of = (name, addresses, says) => ({ name, colour: name.toLowerCase(), verb: "reads", addresses, says });
            return [of("A", touched.A, ({ row }) => `A[${row}][k]`), of("B", touched.B, b)];
        }
        const touched = copy(state);
        const at = (name) => (_, item) => `${name}[${touched[name][item] / state.bytes}]`;
        const ids1 = ids(state.group);
        const out = (_, item) => `out[${ids1[item][1]}][${ids1[item][0]}]`;
        return [
            { name: "out", colour: "c", verb: "writes", addresses: touched.out, says: out },
            { name: "in", colour: "a", verb: "reads", addresses: touched.in, says: at("in") },
        ];
    }

    /** The items from left to right, with a gap between the rows of their group. */
    function itemPlaces(group) {
        const rows = WARP / group;
        const unit = (WIDTH - 2 * EDGE - 4) / (WARP + 0.6 * (rows - 1));
        return ids(group).map(([id0, id1]) => EDGE + 2 + unit * (id1 * (group + 0.6) + id0 + 0.5));
    }

    /** Sectors in the order of their addresses; what lies together in memory touches here. */
    function sectorPlaces(touched) {
        const gaps = touched.filter((sector, i) => i > 0 && sector !== touched[i - 1] + 1).length;
        const gap = gaps > 12 ? 3 : 8;
        const width = Math.min(72, (WIDTH - 2 * EDGE - gaps * gap) / touched.length);
        let x = (WIDTH - touched.length * width - gaps * gap) / 2;
        const places = new Map();
        touched.forEach((sector, i) => {
            if (i > 0 && sector !== touched[i - 1] + 1) x += gap;
            places.set(sector, x);
            x += width;
        });
        return { places, width };
    }

    function drawArray(sheet, state, array, up, items) {
        const { places, width } = sectorPlaces(array.sectors);
        const [y, high] = up ? [28, 22] : [HEIGHT - 50, 22];
        const within = (address) => places.get(Math.floor(address / state.size)) + (width * (address % state.size)) / state.size;
        const wide = (width * state.bytes) / state.size;
        const link = (item, name) => {
            const at = [within(array.addresses[item]) + wide / 2, up ? y + high : y];
            sheet.line(name, [items[item], up ? ITEMS - 11 : ITEMS + 11], at);
        };
        items.forEach((_, item) => item !== state.item && link(item, "link"));
        link(state.item, "link chosen");
        for (const x of places.values()) sheet.rect(`${array.colour}-soft`, x, y, width, high);
        for (const address of new Set(array.addresses)) sheet.rect(`${array.colour} used`, within(address), y, wide, high, array.addresses.indexOf(address));
        sheet.rect("item", within(array.addresses[state.item]), y, Math.max(wide, 2.5), high);
        const line = up ? 18 : HEIGHT - 10;
        sheet.text(`bold ${array.colour}`, EDGE, line, `${array.name}: ${plural(array.sectors.length, "sector")}`);
        const item = isProduct(state) ? elements(state)[state.item] : undefined;
        sheet.text("end item", WIDTH - EDGE, line, `item ${state.item} ${array.verb} ${array.says(item, state.item)}`);
    }

    /** Other items that touch the sector of the chosen one. */
    function sharing(state, { addresses }) {
        const sector = (address) => Math.floor(address / state.size);
        return addresses.filter((address) => sector(address) === sector(addresses[state.item])).length - 1;
    }

    function result(state, above, below, sum) {
        const moved = sum * state.size;
        const wanted = [above, below].flatMap(({ addresses }) => [...new Set(addresses)]).length * state.bytes;
        return `<b>${above.sectors.length} + ${below.sectors.length} = ${plural(sum, "sector")}</b>: ` +
            `${whole(moved)} bytes are moved, ${whole(wanted)} of them wanted (${Math.round((100 * wanted) / moved)}&nbsp;%).`;
    }

    function detail(state, above, below, [first, second]) {
        const [id0, id1] = ids(state.group)[state.item];
        return `Item ${state.item} has the ids (${id0}, ${id1}). It shares its sector of ${above.name} with ` +
            `${plural(first, "other")}, that of ${below.name} with ${second}.`;
    }

    place(widget);
}
