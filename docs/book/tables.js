// A name in a table that is wider than the page may be broken after an underscore.
for (const table of document.querySelectorAll(".table-wrapper")) {
    if (table.scrollWidth <= table.clientWidth) continue;
    const walk = document.createTreeWalker(table, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walk.nextNode()) texts.push(walk.currentNode);
    for (const text of texts) {
        const parts = text.data.split(/(?<=_)/);
        text.replaceWith(...parts.flatMap((part) => [part, document.createElement("wbr")]).slice(0, -1));
    }
    // Where that is not enough it scrolls in any case, and its names need fewer lines.
    table.classList.toggle("scrolls", table.scrollWidth > table.clientWidth);
}
