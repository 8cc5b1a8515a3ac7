// The check of the book must find what is planted into a copy of a page.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { faults } from "./check.mjs";

const PAGE = "docs/figures.html";
const FAULTS = [
    ["a dead link", `<a href="nowhere.html">x</a>`, "dead link: docs/nowhere.html"],
    ["a heading that is not there", `<a href="ndrange.html#nothing">x</a>`, "ndrange.html#nothing"],
    ["a folder without a page", `<a href="figures/">x</a>`, "folder without a page: docs/figures"],
    ["what overflows", `<div style="width: 1500px">wide</div>`, "\"wide\" ends at"],
    ["what begins beyond the left edge", `<div style="margin-left: -1000px">left</div>`, "\"left\" begins at"],
    ["a column of letters", `<table><tr><td style="width: 1px; min-width: 0; padding: 0; overflow-wrap: anywhere">letters</td></tr></table>`, "a letter or two"],
    ["a diagram that is cut", `<pre><code style="white-space: pre; overflow: auto">${"-".repeat(300)}</code></pre>`, "an output is cut"],
    ["a table that is cut", `<div class="table-wrapper"><table><tr><td><div style="width: 1500px">wide</div></td></tr></table></div>`, "a table is cut"],
    ["a script that fails", `<script>throw new Error("planted")</script>`, "a script fails: planted"],
    ["a picture that is missing", `<img src="figures/none.svg" alt="x">`, "none.svg is not there"],
    ["a picture without words", `<img src="figures/banks.svg">`, "banks.svg has no words"],
    ["a picture of the other theme", `<img style="color-scheme: light" src="figures/banks.svg" alt="x">`, "banks.svg is not dark"],
    ["what needs the network", `<img src="https://example.org/x.png" alt="x">`, "needs the network: https://example.org"],
];

let folder;
let found;
// All are planted at once: opening a page for each would take a minute.
before(async () => {
    folder = mkdtempSync(join(tmpdir(), "book-"));
    cpSync("target/book", folder, { recursive: true });
    assert.deepEqual(await faults(folder, [PAGE]), [], "before anything is planted");
    const file = join(folder, PAGE);
    const planted = FAULTS.map(([, planted]) => planted).join("\n");
    writeFileSync(file, readFileSync(file, "utf8").replace("</main>", `${planted}</main>`));
    found = await faults(folder, [PAGE]);
});
after(() => rmSync(folder, { recursive: true }));

for (const [name, , said] of FAULTS) {
    test(`${name} is found`, () => {
        assert.ok(found.some((line) => line.includes(said)), `found: ${found.join("\n")}`);
    });
}
