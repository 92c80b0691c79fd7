import { toClipboard } from "../lib/clipboard.js";
import { t } from "../lib/t.js";
import { Results } from "./measured.js";
import { copied, keepRows } from "./rows.js";

const SVG = "http://www.w3.org/2000/svg";
const COLORS = { 1: ["gray"], 3: ["red", "green", "blue"] };
const colorName = (name) => ({ gray: t("gray"), red: t("red"), green: t("green"), blue: t("blue") })[name];

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
      none.textContent = stopped ? t("stopped") : t("not run");
      name.textContent = number ? `${number} ${step?.tool ?? calls[number - 1].tool}` : `0 ${t("original")}`;
      frame.setAttribute("aria-pressed", String(number === focus));
      frame.classList.toggle("is-bad", stopped);
    }
  }

  show(shown, focus) {
    const step = shown.steps[focus - 1];
    this.#root.part("code").textContent = shown.python.code;
    this.#root.part("code-words").textContent = shown.python.whole ? t("plain cv2, runs unchanged") : t("up to the step that stopped");
    this.#root.part("out-title").textContent = step ? t("Result of step %(number)s", { number: focus }) : t("Result of the step");
    this.#results.show(step, shown.error ? t("It did not run.") : t("Choose a step."));
    this.#histogram(shown.view.histogram);
  }

  #histogram(channels) {
    const svg = this.#root.part("histogram");
    const most = Math.max(...channels.flat(), 1e-9);
    svg.replaceChildren(...channels.map((shares, at) => {
      const line = document.createElementNS(SVG, "polyline");
      line.setAttribute("points", shares.map((share, bin) => `${(256 * (bin + 0.5)) / shares.length},${63 - (61 * share) / most}`).join(" "));
      line.setAttribute("class", `is-${COLORS[channels.length]?.[at] ?? "gray"}`);
      return line;
    }));
    this.#root.part("histogram-words").textContent = channels.length ? t("%(colors)s; dark to light, tallest %(share)s%", { colors: COLORS[channels.length].map(colorName).join(", "), share: (100 * most).toFixed(1) }) : "";
  }

  async #copy() {
    const said = this.#root.part("copy-words");
    const done = await toClipboard(this.#root.part("code").textContent);
    if (!done) getSelection().selectAllChildren(this.#root.part("code"));
    said.textContent = done ? t("Copied") : t("Selected: press Ctrl C");
    setTimeout(() => (said.textContent = t("Copy as Python")), 2500);
  }
}
