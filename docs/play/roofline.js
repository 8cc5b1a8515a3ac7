// Lesson 8: a kernel's tile sizes, and how fast it can be at most.
"use strict";
{
    const { tile, intensity, bound } = play.counting;
    const { Sheet, choice, range, place, plural, significant, whole } = play;
    const { devices } = play.facts.roofline;

    const [LEFT, RIGHT, TOP, BOTTOM] = [66, 466, 26, 252];
    /** Operations for each byte, at the two ends. */
    const ENDS = [0.1, 100];
    const powers = [8, 16, 32, 64, 128, 256];
    const few = [1, 2, 4, 8, 16];

    const ridge = ({ gflops, gbytes }) => gflops / gbytes;

    const widget = {
        figure: "roofline",
        lesson: "08-tiling",
        title: "Play with the roofline",
        key: "Pink: the most that this tile allows. Other dots: the course's kernels, measured; larger where they have this tile. Red: what the device can do.",
        controls: [
            choice("device", "Device", devices.map(({ name }, i) => [i, name])),
            range("TM", "TM, rows of a group's tile", powers),
            range("TN", "TN, its columns", powers),
            range("TK", "TK, its depth", [4, ...powers]),
            range("RM", "RM, rows of an item's tile", few),
            range("RN", "RN, its columns", few),
        ],
        tasks: [
            {
                says: "This is lesson 6's tile of 16 x 16. Change the tile until memory is no longer what <b>limits</b> it, on this device.",
                start: start({}),
                met: (_, { fits, free }) => fits && free,
                why: "Twice the side, half the bytes. A group has only so many items, so each of them must own more than one element.",
            },
            {
                says: "Now let an item read at most <b>a quarter</b> of an element from local memory for each multiply-add.",
                start: start({ TM: 64, TN: 64, RM: 4, RN: 4 }),
                met: (_, { fits, free, localLoads }) => fits && free && localLoads <= 0.25,
                why: "8 x 8 sums: 16 reads serve 64 multiply-adds.",
            },
            {
                says: "Set lesson 8's tile: 64 x 128 for the group, 16 deep, 8 x 8 for an item. How near does the <b>measured</b> dot come to the roof?",
                start: start({ RM: 4, RN: 4, TM: 64, TN: 64 }),
                met: ({ device }, { fits, recorded }) => device === 0 && fits && recorded.some(({ kernel }) => kernel.startsWith("matmul_register_tile")),
                why: "Memory would allow all of it. What is left are the instructions around the multiply-adds, and waiting: lesson 10.",
            },
        ],
        draw,
    };

    function start(differs) {
        return { device: 0, TM: 16, TN: 16, TK: 16, RM: 1, RN: 1, ...differs };
    }

    function draw(state) {
        const device = devices[state.device];
        const shape = tile(state);
        const reached = intensity(state, device.size);
        const most = bound(device, reached);
        const wrong = misfit(state, shape, device);
        const recorded = device.kernels.filter(({ tile }) => Object.keys(tile).every((name) => tile[name] === state[name]));
        const sheet = new Sheet(480, 300);
        const { x, y } = axes(sheet, device);
        for (const kernel of device.kernels) {
            sheet.dot(device.colour, x(intensity(kernel.tile, device.size)), y(kernel.gflops), recorded.includes(kernel) ? 6.5 : 4);
        }
        if (!wrong) {
            sheet.line("measure", [x(reached), BOTTOM], [x(reached), y(most)]);
            sheet.dot("item", x(reached), y(most), 7);
        }
        const free = reached >= ridge(device);
        return {
            sheet,
            counted: { fits: !wrong, free, localLoads: shape.localLoads, recorded },
            result: wrong ?? `<b>${significant(reached)} operations a byte</b>: at most ${significant(most)} GFLOP/s, ` +
                `limited by ${free ? "arithmetic" : "global memory"}.`,
            detail: `${group(state, shape, device)} ${measured(recorded, most, device)}`,
        };
    }

    /** Why a device cannot run this, if it cannot. */
    function misfit({ TM, TN, RM, RN }, { items, localBytes }, { largestGroup, localMemory }) {
        if (RM > TM || RN > TN) return "<b>Impossible:</b> an item's tile is larger than its group's.";
        if (items > largestGroup) return `<b>Too many items:</b> ${whole(items)} in a group of at most ${whole(largestGroup)}. Let each own more.`;
        if (localBytes > localMemory) return `<b>Too large:</b> ${whole(localBytes)} bytes of local memory, of ${whole(localMemory)}. Make it less deep.`;
        return undefined;
    }

    function group({ TM, TN, RM, RN }, { items, localBytes, localLoads, sums }, { localMemory }) {
        if (RM > TM || RN > TN) return "";
        return `A group has ${TN / RN} x ${TM / RM} = ${plural(items, "item")} and ${whole(localBytes)} of ${whole(localMemory)} bytes of local memory. ` +
            `An item keeps ${plural(sums, "sum")} and reads ${significant(localLoads)} elements from local memory for each multiply-add.`;
    }

    function measured(recorded, most, { name }) {
        if (recorded.length === 0) return `No kernel of the course has this tile on ${name}.`;
        const { kernel, gflops } = recorded.reduce((best, one) => (one.gflops > best.gflops ? one : best));
        const share = Math.round((100 * gflops) / most);
        return `Measured with this tile: ${significant(gflops)} GFLOP/s, ${share}&nbsp;% of that, by <code>${kernel}</code>.`;
    }

    /** The grid and the roof; the places of an intensity and of a speed. */
    function axes(sheet, device) {
        const speeds = [device.gflops / 1000, device.gflops * 1.6];
        const log = ([low, high], from, to) => (value) => {
            const share = Math.log(value / low) / Math.log(high / low);
            return from + Math.min(1, Math.max(0, share)) * (to - from);
        };
        const [x, y] = [log(ENDS, LEFT, RIGHT), log(speeds, BOTTOM, TOP)];
        for (const value of [0.1, 1, 10, 100]) {
            sheet.line("grid", [x(value), TOP], [x(value), BOTTOM]);
            sheet.text("small soft middle", x(value), BOTTOM + 18, value);
        }
        for (let value = 10 ** Math.ceil(Math.log10(speeds[0])); value < speeds[1]; value *= 10) {
            sheet.line("grid", [LEFT, y(value)], [RIGHT, y(value)]);
            sheet.text("small soft end", LEFT - 6, y(value) + 4.5, whole(value));
        }
        const begin = Math.max(ENDS[0], speeds[0] / device.gbytes);
        sheet.line("roof", [x(begin), y(begin * device.gbytes)], [x(ridge(device)), y(device.gflops)], [RIGHT, y(device.gflops)]);
        sheet.text("small soft", LEFT + 4, TOP - 10, "GFLOP/s");
        sheet.text("small limit end", RIGHT, y(device.gflops) - 7, `${significant(device.gflops)} GFLOP/s, from ${significant(ridge(device))} operations a byte on`);
        sheet.text("small soft middle", (LEFT + RIGHT) / 2, BOTTOM + 38, "operations for each byte asked of global memory");
        return { x, y };
    }

    place(widget);
}
