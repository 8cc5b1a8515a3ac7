// Plays the four things to play with through, by keyboard alone, at three widths, light
// and dark: every task can be met, nothing moves that is not meant to, no script fails.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { THEMES, WIDTHS, cut, opened, pages, reader } from "./check.mjs";

/** For each task of each figure, which keys at which control meet it. */
const FIGURES = {
    coalescing: [
        [["id 0 counts", "ArrowRight"]],
        [["Group shape", "ArrowRight"]],
        [["Group shape", "ArrowRight", 2]],
        [["Stride", "ArrowRight", 7]],
        [["Group shape", "ArrowRight", 2]],
        [["Offset", "ArrowRight"]],
    ],
    banks: [
        [["Padding", "ArrowRight"]],
        [["Row of the tile", "ArrowLeft"]],
        [["Padding", "ArrowRight", 4]],
    ],
    "tile-walk": [
        [["Step", "ArrowRight", 2]],
        [["Side of a tile", "ArrowRight"]],
        [["K", "ArrowLeft", 4], ["Step", "ArrowRight", 11]],
    ],
    roofline: [
        [["TM", "ArrowRight", 2], ["TN", "ArrowRight", 2], ["RM", "ArrowRight"], ["RN", "ArrowRight"]],
        [["RM", "ArrowRight"], ["RN", "ArrowRight"]],
        [["TN", "ArrowRight"], ["RM", "ArrowRight"], ["RN", "ArrowRight"]],
    ],
};

const BOOK = "target/book";
/** The page that has this figure; of several the last, which knows all that is asked. */
function address(figure) {
    const has = (name) => readFileSync(join(BOOK, name), "utf8").includes(`figures/${figure}.svg"`);
    const name = pages(BOOK).findLast((name) => name !== "print.html" && has(name));
    assert.ok(name, `no page has the figure ${figure}`);
    return pathToFileURL(resolve(join(BOOK, name))).href;
}
/** The box that stands below a figure. */
const below = (page, figure) => page.locator(`p:has(img[src$="figures/${figure}.svg"]) + section.play`);

let browser;
before(async () => (browser = await opened()));
after(() => browser.close());

// The theme changes nothing but colours: by night, a phone is enough.
for (const theme of THEMES) {
    for (const width of theme === THEMES[0] ? WIDTHS : [WIDTHS[0]]) {
        test(`every task can be met by keyboard, ${theme}, ${width} px`, async () => {
            const { context, page } = await reader(browser, theme, width);
            const wrong = [];
            page.on("pageerror", (error) => wrong.push(error.message));
            page.on("console", (line) => line.type() === "error" && wrong.push(line.text()));
            for (const [figure, tasks] of Object.entries(FIGURES)) {
                await page.goto(address(figure));
                await play(page, figure, tasks);
                assert.equal(page.url(), address(figure), "a key turned the page");
                wrong.push(...(await page.evaluate(cut)));
            }
            await context.close();
            assert.deepEqual(wrong, []);
        });
    }
}

async function play(page, figure, tasks) {
    const box = below(page, figure);
    await box.locator(".play-tasks button").focus();
    for (const [number, task] of tasks.entries()) {
        const says = `${figure}, task ${number + 1}`;
        if (number > 0) {
            await reach(page, "Next task");
            await page.keyboard.press("Enter");
        }
        assert.equal(await isMet(box), false, `${says} is met before anything was done`);
        const top = await controlsTop(box);
        for (const [control, key, times = 1] of task) {
            await reach(page, control);
            for (let i = 0; i < times; i++) await page.keyboard.press(key);
        }
        assert.ok(await isMet(box), `${says}: ${await box.locator(".play-result").textContent()}`);
        assert.equal(await controlsTop(box), top, `${says}: the controls have moved`);
    }
    if (await box.locator(".play-drawing[tabindex]").count()) {
        await reach(page, "Item");
        const before = await page.evaluate(focused);
        await page.keyboard.press("ArrowRight");
        const after = await page.evaluate(focused);
        assert.equal(Number(after.value), Number(before.value) + 1, `${figure}: no other item is chosen`);
        assert.ok(after.outline !== "none", `${figure}: the focus cannot be seen`);
    }
}

const isMet = (box) => box.locator(".play-why").isVisible();
/** How far the controls stand below the top of their box. */
const controlsTop = (box) => box.evaluate((box) => {
    const top = (element) => element.getBoundingClientRect().top;
    return Math.round(top(box.querySelector(".play-controls")) - top(box));
});

/** Goes on by Tab to a control whose name begins so, once round if need be. */
async function reach(page, name) {
    for (const key of ["Tab", "Shift+Tab"]) {
        for (let i = 0; i < (key === "Tab" ? 12 : 24); i++) {
            const at = await page.evaluate(focused);
            if (at.name.startsWith(name)) return;
            await page.keyboard.press(key);
        }
    }
    assert.fail(`Tab does not lead to ${name}`);
}

/** In the page: what has the focus. */
function focused() {
    const at = document.activeElement;
    const words = at.type === "radio" ? at.closest("fieldset").querySelector("legend") : (at.labels?.[0] ?? at);
    const name = at.getAttribute("aria-label") ?? words.textContent;
    return { name, value: at.getAttribute("aria-valuenow"), outline: getComputedStyle(at).outlineStyle };
}

test("a finger moves a slider by its buttons, and follows an item", async () => {
    const { context, page } = await reader(browser, "light", 360, { hasTouch: true });
    await page.goto(address("banks"));
    const box = below(page, "banks");
    await box.locator(".play-range", { hasText: "Padding" }).locator("button", { hasText: "+" }).tap();
    assert.ok(await isMet(box));
    await box.locator('[data-item="9"]').first().tap();
    assert.match(await box.locator(".play-detail").textContent(), /^Item 9 /);
    await context.close();
});

test("without scripts, in print, and on the page for printing there are the figures alone", async () => {
    const still = await reader(browser, "light", 768, { javaScriptEnabled: false });
    await still.page.goto(address("coalescing"));
    assert.ok(await still.page.locator('img[src$="figures/coalescing.svg"]:visible').count());
    assert.equal(await still.page.locator(".play").count(), 0);
    await still.context.close();
    const { context, page } = await reader(browser, "light", 768);
    await page.goto(address("coalescing"));
    await page.emulateMedia({ media: "print" });
    assert.equal(await below(page, "coalescing").isVisible(), false);
    await page.goto(pathToFileURL(resolve(join(BOOK, "print.html"))).href);
    assert.equal(await page.locator(".play").count(), 0);
    await context.close();
});
