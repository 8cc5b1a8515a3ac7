// What the four share: a box below its figure, with a task, a drawing, what it comes to,
// and controls. All of it is redrawn from one state; nothing moves by itself.
"use strict";
{
    /** What is drawn on. Words are not escaped: all of them are our own. */
    class Sheet {
        constructor(width, height) {
            Object.assign(this, { width, height, body: "" });
        }
        /** A rectangle; `item` is the item that pointing at it chooses. */
        rect(name, x, y, width, height, item) {
            const chooses = item === undefined ? "" : ` data-item="${item}"`;
            this.body += `<rect class="${name}"${chooses} x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"/>`;
        }
        dot(name, x, y, radius, item) {
            const chooses = item === undefined ? "" : ` data-item="${item}"`;
            this.body += `<circle class="${name}"${chooses} cx="${short(x)}" cy="${short(y)}" r="${radius}"/>`;
        }
        line(name, ...points) {
            const places = points.map(([x, y]) => `${short(x)},${short(y)}`).join(" ");
            this.body += `<polyline class="${name}" points="${places}"/>`;
        }
        text(name, x, y, words) {
            this.body += `<text class="${name}" x="${short(x)}" y="${short(y)}">${words}</text>`;
        }
    }

    const PAPER = '<rect class="paper" width="100%" height="100%" rx="6"/>';
    const HINT = "Point at an item to follow it, or go to the drawing by Tab and use the arrow keys.";

    const short = (number) => Math.round(number * 10) / 10;

    /** An element with attributes and what stands in it. */
    function element(name, attributes = {}, ...inside) {
        const made = document.createElement(name);
        for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
        made.append(...inside);
        return made;
    }

    /** One of a few values, all of them in view: radio buttons side by side. */
    const choice = (name, label, options) => ({ name, label, options, make: radios });
    /** One of many values in order: a slider; `shown` says what the value is in words. */
    const range = (name, label, values, shown = String) => ({ name, label, values, shown, make: slider });

    function radios({ name, label, options }, change, id) {
        const inputs = options.map(([value, words]) => {
            const input = element("input", { type: "radio", name: `${id}-${name}`, value });
            input.addEventListener("change", () => change(name, value));
            return { value, input, label: element("label", {}, input, element("span", {}, words)) };
        });
        const box = element("fieldset", {}, element("legend", {}, label),
            element("div", { class: "play-options" }, ...inputs.map((one) => one.label)));
        const show = (state) => inputs.forEach(({ value, input }) => (input.checked = value === state[name]));
        return { box, show };
    }

    function slider({ name, label, values, shown }, change) {
        const output = element("b");
        const input = element("input", { type: "range", min: 0, step: 1 });
        const list = (state) => (typeof values === "function" ? values(state) : values);
        let now = [];
        const set = (at) => at >= 0 && at < now.length && change(name, now[at]);
        input.addEventListener("input", () => set(Number(input.value)));
        // For fingers. A keyboard has its arrow keys, and needs no further stops.
        const button = (words, by) => {
            const made = element("button", { type: "button", tabindex: -1, "aria-hidden": "true" }, words);
            made.addEventListener("click", () => set(Number(input.value) + by));
            return made;
        };
        const show = (state) => {
            now = list(state);
            input.max = now.length - 1;
            input.value = now.indexOf(state[name]);
            output.textContent = shown(state[name], state);
            input.setAttribute("aria-valuetext", output.textContent);
        };
        const words = element("label", {}, `${label}: `, output, input);
        const box = element("div", { class: "play-range" }, words, button("−", -1), button("+", 1));
        return { box, show };
    }

    /** The tasks, one at a time; once met, a task stays met. */
    function tasks(list, begin) {
        const says = element("p", { class: "play-task" });
        const why = element("p", { class: "play-why" });
        const next = element("button", { type: "button" }, "Next task");
        const box = element("div", { class: "play-tasks" }, says, element("div", { role: "status" }, why), next);
        let at = 0;
        let met = false;
        const show = () => {
            says.innerHTML = `<b>Task ${at + 1} of ${list.length}.</b> ${list[at].says}`;
            why.innerHTML = `<b>✓ Met.</b> ${list[at].why}`;
            box.classList.toggle("met", met);
        };
        next.addEventListener("click", () => {
            [at, met] = [(at + 1) % list.length, false];
            begin(list[at].start);
        });
        const judge = (state, counted) => {
            met ||= Boolean(list[at].met(state, counted));
            show();
        };
        return { box, judge };
    }

    /** Items of the drawing are chosen by pointing at them, or by the arrow keys. */
    function drawing(widget, choose) {
        const box = element("div", { class: "play-drawing" });
        if (!widget.items) return { box, show: () => {} };
        let now;
        const steps = (across) => ({ ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across });
        box.addEventListener("keydown", (event) => {
            const { count, across } = widget.items(now);
            const step = steps(across)[event.key];
            if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
            event.preventDefault();
            const next = now.item + step;
            if (next >= 0 && next < count) choose(next);
        });
        const point = (event) => {
            // A finger's target stays where the finger came down.
            const at = document.elementFromPoint(event.clientX, event.clientY);
            const item = at?.closest("[data-item]")?.dataset.item;
            if (item !== undefined && Number(item) !== now.item) choose(Number(item));
        };
        box.addEventListener("pointermove", point);
        box.addEventListener("pointerdown", point);
        for (const [key, value] of Object.entries({ tabindex: 0, role: "slider", "aria-label": "Item", "aria-valuemin": 0 })) {
            box.setAttribute(key, value);
        }
        const show = (state, detail) => {
            now = state;
            box.setAttribute("aria-valuemax", widget.items(state).count - 1);
            box.setAttribute("aria-valuenow", state.item);
            box.setAttribute("aria-valuetext", detail.replace(/<[^>]*>/g, ""));
        };
        return { box, show };
    }

    /**
     * Puts a widget below its figure, where this page has it. A widget is its `figure`, the
     * `lesson` where it belongs, where the figure stands in several, a `title`, a `key` to what
     * is drawn, `controls`, `tasks`, optionally `items` (how many can be chosen, and how many
     * stand side by side), and `draw`, which makes of a state a sheet, a `result`, a `detail`
     * and what was `counted`. The state begins as the first task has it.
     */
    function place(widget) {
        const image = document.querySelector(`main img[src$="figures/${widget.figure}.svg"]`);
        // The book's page for printing has all pages in it: there the figures speak.
        const here = location.pathname;
        if (!image || here.endsWith("/print.html") || !here.includes(widget.lesson ?? "")) return;
        const state = {};
        const change = (name, value) => {
            Object.assign(state, { [name]: value });
            render();
        };
        const begin = (start) => {
            Object.assign(state, start);
            render();
        };
        const task = tasks(widget.tasks, begin);
        const picture = drawing(widget, (item) => change("item", item));
        const result = element("p", { class: "play-result", role: "status" });
        const detail = element("p", { class: "play-detail" });
        const made = widget.controls.map((one) => ({ ...one.make(one, change, widget.figure), only: one.only }));
        const render = () => {
            if (widget.items) state.item = Math.min(state.item, widget.items(state).count - 1);
            made.forEach(({ box, show, only }) => {
                show(state);
                box.hidden = Boolean(only && !only(state));
            });
            const drawn = widget.draw(state);
            const { sheet } = drawn;
            picture.box.innerHTML = `<svg viewBox="0 0 ${sheet.width} ${sheet.height}" aria-hidden="true">${PAPER}${sheet.body}</svg>`;
            result.innerHTML = drawn.result;
            detail.innerHTML = drawn.detail;
            picture.show(state, drawn.detail);
            task.judge(state, drawn.counted);
        };
        const controls = element("div", { class: "play-controls" }, ...made.map((one) => one.box));
        const box = element("section", { class: "play", "aria-label": widget.title });
        const seen = element("div", { class: "play-seen" }, picture.box, result);
        const said = element("div", { class: "play-said" }, controls, detail);
        said.append(element("p", { class: "play-hint" }, widget.items ? `${widget.key} ${HINT}` : widget.key));
        box.append(task.box, element("div", { class: "play-body" }, seen, said));
        // mdBook turns its pages by the arrow keys.
        box.addEventListener("keydown", (event) => event.key.startsWith("Arrow") && event.stopPropagation());
        begin(widget.tasks[0].start);
        (image.closest("p") ?? image).after(box);
    }

    /** 1234567 as "1,234,567". */
    const whole = (number) => Math.round(number).toString().replace(/\B(?=(\d{3})+$)/g, ",");
    /** Three digits, as the pages' tables have them. */
    const significant = (number) => (number >= 100 ? whole(number) : String(Number(number.toPrecision(3))));
    /** "1 sector", "2 sectors", "2 passes". */
    const plural = (number, word) => `${whole(number)} ${word}${number === 1 ? "" : word.endsWith("s") ? "es" : "s"}`;

    Object.assign(play, { Sheet, choice, range, place, whole, significant, plural });
}
