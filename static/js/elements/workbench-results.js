import { copied, keepRows } from "./rows.js";

const SVG = "http://www.w3.org/2000/svg";
const COLOURS = { 1: ["grey"], 3: ["red", "green", "blue"] };
const words = (name) => name.replaceAll("_", " ");

/** A measured value as a person reads it; what is not there is n/a, never 0. */
function shownValue(value) {
  if (value === null || value === undefined) return "n/a";
  if (Array.isArray(value)) return value.length ? value.map(shownValue).join(", ") : "none";
  if (typeof value !== "number" || Number.isInteger(value)) return String(value);
  return value.toLocaleString("en", { maximumSignificantDigits: 4, useGrouping: false });
}

/** Under the stage: the film of all steps, the program, the measurements and the histogram of the step in focus. */
export class WorkbenchResults {
  #root;
  #film;
  #look;

  constructor(root, look) {
    [this.#root, this.#film, this.#look] = [root, root.part("film"), look];
    this.#film.addEventListener("click", ({ target }) => {
      const at = [...this.#film.children].indexOf(target.closest(".bframe"));
      if (at >= 0) look(at);
    });
    root.querySelector("[data-act=copy]").addEventListener("click", () => this.#copy());
  }

  showFilm(calls, focus, shown, thumbnails) {
    keepRows(this.#film, calls.length + 1, () => copied("row-bench-frame"));
    for (const [number, frame] of [...this.#film.children].entries()) {
      const step = number ? shown?.steps[number - 1] : shown?.original;
      const stopped = shown?.error?.number === number;
      const [image, none, name] = [frame.querySelector("img"), frame.querySelector(".bframe__shot span"), frame.querySelector(".xs.clip")];
      image.hidden = !step || !thumbnails.has(step.key);
      if (!image.hidden) image.src = thumbnails.get(step.key);
      none.hidden = !image.hidden;
      none.textContent = stopped ? "stopped" : "not run";
      name.textContent = number ? `${number} ${step?.tool ?? calls[number - 1].tool}` : "0 original";
      frame.setAttribute("aria-pressed", String(number === focus));
      frame.classList.toggle("is-bad", stopped);
    }
  }

  show(shown, focus) {
    const step = shown.steps[focus - 1];
    this.#root.part("code").textContent = shown.python.code;
    this.#root.part("code-words").textContent = shown.python.whole ? "plain cv2, runs as it is" : "up to the step that stopped";
    this.#root.part("out-title").textContent = step ? `What step ${focus} returned` : "What the step returned";
    this.#measured(step, shown);
    this.#histogram(shown.view.histogram);
  }

  #measured(step, shown) {
    const box = this.#root.part("measured");
    const note = document.createElement("p");
    note.className = "small muted";
    const found = step?.measurements;
    note.textContent = !step ? (shown.error ? "It did not run." : "Choose a step.") : found ? "A picture, and no measurement." : "Measured when it has run in full …";
    const parts = found ? [...this.#values(found.values), ...found.tables.map((table) => this.#table(table))] : [];
    box.replaceChildren(...(parts.length ? parts : [note]));
  }

  #values(values) {
    const rows = Object.entries(values);
    if (!rows.length) return [];
    const list = document.createElement("dl");
    list.className = "kv";
    for (const [name, value] of rows) {
      const [term, said] = [document.createElement("dt"), document.createElement("dd")];
      [term.textContent, said.textContent] = [words(name), shownValue(value)];
      list.append(term, said);
    }
    return [list];
  }

  #table({ name, columns, rows, total }) {
    const table = document.createElement("table");
    table.className = "table bench__table";
    const caption = table.createCaption();
    caption.className = "xs muted";
    caption.textContent = rows.length < total ? `${words(name)}: the first ${rows.length} of ${total}` : words(name);
    const head = table.createTHead().insertRow();
    for (const column of ["", ...columns]) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.textContent = words(column) || "#";
      head.append(cell);
    }
    const body = table.createTBody();
    for (const [at, row] of rows.entries()) {
      const line = body.insertRow();
      for (const value of [at + 1, ...row]) line.insertCell().textContent = shownValue(value);
    }
    return table;
  }

  #histogram(channels) {
    const svg = this.#root.part("histogram");
    const most = Math.max(...channels.flat(), 1e-9);
    svg.replaceChildren(...channels.map((shares, at) => {
      const line = document.createElementNS(SVG, "polyline");
      line.setAttribute("points", shares.map((share, bin) => `${(256 * (bin + 0.5)) / shares.length},${63 - (61 * share) / most}`).join(" "));
      line.setAttribute("class", `is-${COLOURS[channels.length]?.[at] ?? "grey"}`);
      return line;
    }));
    this.#root.part("histogram-words").textContent = channels.length ? `${COLOURS[channels.length].join(", ")}; dark to light, tallest ${(100 * most).toFixed(1)} %` : "";
  }

  async #copy() {
    const said = this.#root.part("copy-words");
    try {
      await navigator.clipboard.writeText(this.#root.part("code").textContent);
      said.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(this.#root.part("code"));
      said.textContent = "Selected: press Ctrl C";
    }
    setTimeout(() => (said.textContent = "Copy as Python"), 2500);
  }
}
