// Opens every page of the built book in a browser, at three widths, light and dark, and
// looks for what a reader would stumble over: dead links, what is cut or overflows, scripts
// that fail, pictures that are missing, anything that needs a network.
//
//     node check.mjs FOLDER            the built book; exit status 1 where something is wrong

import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const WIDTHS = [360, 768, 1280];
// The themes that the book begins with by day and by night.
export const THEMES = ["light", "navy"];
const BROWSERS = ["chromium", "chromium-browser", "google-chrome"];

/** What is wrong with the pages of a built book, a line each; all its pages, or these. */
export async function faults(folder, names = pages(folder)) {
    const browser = await opened();
    try {
        const found = await Promise.all(WIDTHS.map((width) => read(browser, folder, names, width)));
        return found.flat();
    } finally {
        await browser.close();
    }
}

/** What leads to a page of the forge, and to nothing in the book. */
const isBadge = (url) => url.includes("/actions/workflows/");

/** Opens the pages one after the other at this width, and looks at each in both themes. */
async function read(browser, folder, names, width) {
    const { context, page } = await reader(browser, THEMES[0], width);
    const found = [];
    let [name, theme] = [];
    const tell = (what) => found.push(`${name}, ${theme}, ${width} px: ${what}`);
    page.on("pageerror", (error) => tell(`a script fails: ${error.message}`));
    page.on("console", (line) => line.type() === "error" && !isBadge(line.location().url) && tell(`the console says: ${line.text()}`));
    page.on("request", (request) => {
        if (/^https?:/.test(request.url())) tell(`needs the network: ${request.url()}`);
    });
    for (name of names) {
        theme = THEMES[0];
        await page.goto(pathToFileURL(join(folder, name)).href);
        // They are the same at every width and in every theme.
        if (width === WIDTHS[0]) dead(folder, (await page.evaluate(links)).filter((link) => !isBadge(link))).forEach(tell);
        for (theme of THEMES) {
            await page.evaluate(wear, theme);
            let wrong = await page.evaluate(cut);
            if (wrong.length > 0) {
                // A theme has a style sheet of its own, which may not be there yet.
                await page.waitForTimeout(1000);
                wrong = await page.evaluate(cut);
            }
            wrong.forEach(tell);
            (await page.evaluate(pictures, theme)).forEach(tell);
        }
    }
    await context.close();
    return found;
}

/** A reader with this theme and width. */
export async function reader(browser, theme, width, more = {}) {
    const viewport = { width, height: 900 };
    const context = await browser.newContext({ viewport, reducedMotion: "reduce", ...more });
    await context.addInitScript((theme) => {
        localStorage.setItem("mdbook-theme", theme);
        // print.html opens the browser's window for printing, and has a printer's looks meanwhile.
        window.print = () => {};
    }, theme);
    return { context, page: await context.newPage() };
}

/** Every page of a built book, but for those that mdBook shows inside others. */
export function pages(folder) {
    const all = readdirSync(folder, { recursive: true }).map(String);
    const inner = ["404.html", "toc.html"];
    return all.filter((name) => name.endsWith(".html") && !inner.includes(name)).sort();
}

/** A browser without a window. */
export function opened() {
    return chromium.launch({ executablePath: installed(), args: ["--no-sandbox"] });
}

function installed() {
    const folders = (process.env.PATH ?? "").split(":");
    const paths = BROWSERS.flatMap((name) => folders.map((folder) => join(folder, name)));
    const path = paths.find((path) => existsSync(path));
    if (!path) throw new Error(`none of ${BROWSERS.join(", ")} is installed: ./setup --full`);
    return path;
}

/** In the page: changes the theme as the book's own menu does. */
function wear(theme) {
    document.querySelector(`#mdbook-theme-${theme}`)?.click();
}

/** In the page: what leaves the sheet. What scrolls in a box of its own does not. */
export function cut() {
    const wrong = [];
    const root = document.documentElement;
    // Beyond this box nothing can be seen.
    const sheet = document.querySelector(".content").getBoundingClientRect();
    if (root.scrollWidth > root.clientWidth + 1) wrong.push(`the page is ${root.scrollWidth} px wide`);
    const scrolls = (element) => {
        for (let at = element; at && at.tagName !== "MAIN"; at = at.parentElement) {
            if (["auto", "scroll"].includes(getComputedStyle(at).overflowX)) return true;
        }
        return false;
    };
    const shown = (element) => (element.textContent || element.alt || element.tagName).trim().slice(0, 40);
    for (const element of document.querySelectorAll("main *")) {
        const box = element.getBoundingClientRect();
        if (box.width === 0 || element.closest("svg, [hidden]")) continue;
        if (scrolls(element)) continue;
        if (box.right > sheet.right + 1) wrong.push(`"${shown(element)}" ends at ${Math.round(box.right)}`);
        if (box.left < sheet.left - 1) wrong.push(`"${shown(element)}" begins at ${Math.round(box.left)}`);
    }
    for (const cell of document.querySelectorAll("main td, main th")) {
        const letters = cell.textContent.trim().length;
        const range = document.createRange();
        range.selectNodeContents(cell);
        // A word and the box around it have one middle.
        const middle = (box) => Math.round((box.top + box.bottom) / 12);
        const lines = new Set([...range.getClientRects()].map(middle)).size;
        if (letters > 3 && lines > 3 && letters / lines < 3) wrong.push(`"${shown(cell)}" stands a letter or two in a line`);
    }
    // On a screen as wide as a desk's, nothing drawn in letters needs scrolling.
    if (root.clientWidth > 1200) {
        for (const code of document.querySelectorAll("main pre > code")) {
            if (code.scrollWidth > code.clientWidth + 1) wrong.push(`an output is cut: "${shown(code)}"`);
        }
        for (const table of document.querySelectorAll("main .table-wrapper")) {
            if (table.scrollWidth > table.clientWidth + 1) wrong.push(`a table is cut: "${shown(table)}"`);
        }
    }
    return wrong;
}

/** In the page: pictures that are not there, say nothing, or are of the other theme. */
function pictures(theme) {
    const wrong = [];
    for (const image of document.querySelectorAll("main img:not([src*='/actions/workflows/'])")) {
        const name = decodeURI(image.src.split("/").pop());
        if (image.complete && image.naturalWidth === 0) wrong.push(`the picture ${name} is not there`);
        if (!image.alt) wrong.push(`the picture ${name} has no words`);
        const scheme = theme === "light" ? "light" : "dark";
        if (getComputedStyle(image).colorScheme !== scheme) wrong.push(`the picture ${name} is not ${scheme}`);
    }
    return wrong;
}

/** In the page: where its links lead, without those to the web. */
function links() {
    const all = [...document.querySelectorAll("a[href]")].map((link) => link.href);
    return [...new Set(all)].filter((href) => href.startsWith("file:"));
}

/** The links that lead to nothing: no file, a folder without a page, no such heading. */
function dead(folder, links) {
    const wrong = [];
    for (const link of links) {
        const url = new URL(link);
        const path = fileURLToPath(new URL(url.pathname, "file:"));
        const shown = relative(folder, path) + url.hash;
        const isElsewhere = existsSync(relative(folder, path));
        if (!existsSync(path)) wrong.push(`dead link: ${shown}${isElsewhere ? ": the folder .book has no link to its folder" : ""}`);
        else if (statSync(path).isDirectory() && !existsSync(join(path, "index.html"))) {
            wrong.push(`a link to a folder without a page: ${shown}`);
        } else if (url.hash && path.endsWith(".html")) {
            const id = decodeURIComponent(url.hash.slice(1));
            if (!headings(path).has(id)) wrong.push(`dead link: ${shown}`);
        }
    }
    return wrong;
}

const known = new Map();
function headings(path) {
    if (!known.has(path)) {
        const ids = readFileSync(path, "utf8").matchAll(/\sid="([^"]*)"/g);
        known.set(path, new Set([...ids].map((id) => id[1])));
    }
    return known.get(path);
}

if (resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
    const folder = resolve(process.argv[2] ?? "target/book");
    const wrong = await faults(folder);
    for (const line of wrong) console.log(line);
    console.log(`${pages(folder).length} pages, ${WIDTHS.length} widths, ${THEMES.length} themes: ${wrong.length} faults`);
    process.exit(wrong.length > 0 ? 1 : 0);
}
