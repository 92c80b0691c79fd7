import { t } from "../lib/t.js";

const REST = 150;
const AIR = 4;
const SHUT = "sightline panel folded";
/** Pixels of a stage below which the panel is folded until a person opens it: it would cover half of the image. */
const NARROW = 700;

/**
 * The glass over a stage makes way for evidence once the image rests: the panel at the right goes to the end of its
 * side where nothing is under it, or folds where both ends have some; the other pieces let it show through. A person can
 * fold the panel too, and it stays folded.
 */
export class StageGlass {
  #stage;
  #panel;
  #others;
  #timer = null;

  /** @param {HTMLElement} stage  @param {HTMLElement} panel the one that can go */
  constructor(stage, panel) {
    this.#stage = stage;
    this.#panel = panel;
    const fold = panel.querySelector("[data-act=fold]");
    fold.addEventListener("click", () => {
      this.#fold(fold, !panel.classList.contains("is-shut"));
      this.#keep(panel.classList.contains("is-shut"));
    });
    const kept = localStorage.getItem(SHUT);
    this.#fold(fold, kept === null ? stage.clientWidth < NARROW : kept === "true");
    this.#others = [...stage.querySelectorAll(":scope > .glass")].filter((one) => one !== panel && !one.matches("[data-picking]"));
  }

  #fold(button, shut) {
    this.#panel.classList.toggle("is-shut", shut);
    const words = shut ? t("Expand panel") : t("Collapse panel");
    Object.assign(button, { title: words, ariaLabel: words, ariaExpanded: String(!shut) });
  }

  #keep(shut) {
    try {
      localStorage.setItem(SHUT, String(shut));
    } catch {
      // A closed store keeps it for this page alone.
    }
  }

  /** Make way for these boxes of the image, soon. */
  clear(viewport, boxes) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#clear(boxes.map((box) => viewport.drawn(box))), REST);
  }

  #clear(boxes) {
    const { left, top } = this.#stage.getBoundingClientRect();
    const covers = (element) => {
      const bounds = element.getBoundingClientRect();
      const [x1, y1, x2, y2] = [bounds.left - left, bounds.top - top, bounds.right - left, bounds.bottom - top];
      return boxes.some((box) => box[0] < x2 + AIR && box[2] > x1 - AIR && box[1] < y2 + AIR && box[3] > y1 - AIR);
    };
    for (const one of this.#others) one.classList.toggle("is-over", covers(one));
    const { classList } = this.#panel;
    classList.remove("is-folded");
    if (!covers(this.#panel)) return;
    classList.toggle("is-low");
    if (!covers(this.#panel)) return;
    classList.add("is-folded");
    if (covers(this.#panel)) classList.toggle("is-low");
  }
}
