// What the things to play with count must be what the course counts. cases.json was counted
// once from the kernels' index expressions, by the formulas that the simulator's counts are
// held against, and in recorded runs. docs/play/counting.js names what it depends on.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

const SCRIPT = readFileSync("docs/play/counting.js", "utf8");
const CASES = JSON.parse(readFileSync("tests/book/cases.json", "utf8"));

/** What counts, as the pages load it; a fault can be planted into its text. */
const counting = (script = SCRIPT) => runInNewContext(`${script}; play.counting`);

const CHECKS = {
    product({ product, sectors }, one) {
        const touched = product(one);
        const count = (array) => sectors(touched[array], one.bytes, one.size).length;
        return [[count("A"), one.A], [count("B"), one.B]];
    },
    copy({ copy, sectors }, one) {
        const touched = copy(one);
        const count = (array) => sectors(touched[array], one.bytes, one.size).length;
        return [[count("in"), one.in], [count("out"), one.out]];
    },
    banks({ column, passes }, one) {
        return [[passes(column(one).flat()), one.passes]];
    },
    walk({ tiled }, one) {
        const { globalA, globalB, globalStores, localLoads, localStores } = tiled(one);
        return [
            [globalA + globalB, one.globalLoads], [globalStores, one.globalStores],
            [localLoads, one.localLoads], [localStores, one.localStores],
        ];
    },
    tile({ tile, intensity }, one) {
        const { items, localLoads } = tile(one.tile);
        return [[intensity(one.tile, one), one.intensity], [items, one.items], [localLoads, one.localLoads]];
    },
};

/** The first case that comes to something else, if any does. */
function differing(name, counts) {
    for (const one of CASES[name]) {
        for (const [counted, expected] of CHECKS[name](counts, one)) {
            const near = Math.abs(counted - expected) <= 1e-12 * Math.abs(expected);
            if (!near) return `${JSON.stringify(one)} comes to ${counted}, not ${expected}`;
        }
    }
    return undefined;
}

for (const name of Object.keys(CHECKS)) {
    test(`${name}: ${CASES[name].length} cases come out as the course counts them`, () => {
        assert.equal(differing(name, counting()), undefined);
    });
}

const FAULTS = [
    ["product", "row * SIDE * bytes", "row * bytes"],
    ["copy", "(i * stride + j + offset)", "(i * stride + offset)"],
    ["banks", "word % WARP", "word % 31"],
    ["walk", "const deep = Math.min(side, k - round * side)", "const deep = side"],
    ["tile", "loads + m * n", "loads"],
];

for (const [name, right, wrong] of FAULTS) {
    test(`${name}: a fault is found`, () => {
        assert.ok(SCRIPT.includes(right), `counting.js has no longer: ${right}`);
        assert.notEqual(differing(name, counting(SCRIPT.replace(right, wrong))), undefined);
    });
}
