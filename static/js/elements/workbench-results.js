import { toClipboard } from "../lib/clipboard.js";
import { Results } from "./measured.js";
import { copied, keepRows } from "./rows.js";

const SVG = "http://www.w3.org/2000/svg";
const COLOURS = { 1: ["grey"], 3: ["red", "green", "blue"] };

/** Under the stage: the film of all steps, the program, the measurements and the histogram of the step in focus. */
export class WorkbenchResults {
  #root;
  #film;
  #results;
  #look;

  constructor(root, look) {
    [this.#root, this.#film, this.#look] = [root, root.part("film"), look];
    this.#results = new Results(root.part("measured"));
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
    this.#root.part("code-words").textContent = shown.python.whole ? "plain cv2, runs unchanged" : "up to the step that stopped";
    this.#root.part("out-title").textContent = step ? `Result of step ${focus}` : "Result of the step";
    this.#results.show(step, shown.error ? "It did not run." : "Choose a step.");
    this.#histogram(shown.view.histogram);
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
    this.#root.part("histogram-words").textContent = channels.length ? `${COLOURS[channels.length].join(", ")}; dark to light, tallest ${(100 * most).toFixed(1)}%` : "";
  }

  async #copy() {
    const said = this.#root.part("copy-words");
    const done = await toClipboard(this.#root.part("code").textContent);
    if (!done) getSelection().selectAllChildren(this.#root.part("code"));
    said.textContent = done ? "Copied" : "Selected: press Ctrl C";
    setTimeout(() => (said.textContent = "Copy as Python"), 2500);
  }
}
