import { t } from "../lib/t.js";
import { addProposed, notAdopted } from "../models/box-list.js";
import { FrameMarks } from "./frame-marks.js";
import { copied, keepRows } from "./rows.js";
import { pinAt } from "./stage-places.js";

/**
 * Shapes of models that can be adopted: dashed on the stage, each with a tag to press, and as a list in the form. An
 * adopted one is a shape like any other, its source kept; undone, it is a suggestion again.
 */
export class Suggestions {
  #root;
  #all;
  #size;
  #canvas;
  #edit;
  #marks;
  #left = [];
  #content = null;
  #shown = true;

  /** @param {HTMLElement|null} root null when there are none  @param {{box: number[], points?: number[][], source: string, note: string}[]} all */
  constructor(root, all, size, canvas, edit) {
    this.#root = root;
    this.#all = root ? all.map((one, at) => ({ ...one, tag: `S${at + 1}` })) : [];
    this.#size = size;
    this.#canvas = canvas;
    this.#edit = edit;
    this.#marks = new FrameMarks(this.#all.map(({ box, points, tag }) => ({ kind: "suggested", box, points, turn: null, tag: "", name: tag })));
    canvas.lay(this.#marks);
    root?.addEventListener("click", ({ target }) => this.#click(target));
  }

  show(content) {
    if (!this.#root) return;
    this.#content = content;
    this.#left = notAdopted(this.#all, content);
    const tags = new Set(this.#left.map(({ tag }) => tag));
    this.#marks.keep(({ name }) => this.#shown && tags.has(name));
    this.#canvas.places.show("suggestions", this.#shown ? this.#left.map((one) => this.#pin(one)) : []);
    const list = this.#root.querySelector("ol");
    keepRows(list, this.#left.length, () => copied("row-suggestion"));
    for (const [at, one] of this.#left.entries()) this.#row(list.children[at], one);
    this.#root.querySelector("[data-part=suggestions-n]").textContent = this.#left.length || t("all adopted");
    this.#root.querySelector("[data-act=adopt-all]").disabled = !this.#left.length;
  }

  /** Whether there are none, nor ever were. */
  get isEmpty() {
    return !this.#root;
  }

  /** Whether what a key asks for is about suggestions. */
  knows(name) {
    return ["adopt", "adopt-all", "suggestions"].includes(name);
  }

  /** Do what a key asks; undefined when it asks nothing of suggestions, false when there is nothing to do. */
  act(name) {
    const act = { adopt: () => this.#adopt(this.#left.slice(0, 1)), "adopt-all": () => this.#adopt(this.#left), suggestions: () => this.#toggle() }[name];
    return act && (this.#root ? act() : false);
  }

  #adopt(chosen) {
    if (!chosen.length || !this.#shown) return false;
    this.#edit((content) => chosen.reduce((whole, one) => addProposed(whole, one, this.#size), content));
    return true;
  }

  #toggle() {
    this.#shown = !this.#shown;
    const button = this.#root.querySelector("[data-act=suggestions]");
    button.setAttribute("aria-pressed", String(!this.#shown));
    this.#root.classList.toggle("is-hidden", !this.#shown);
    this.show(this.#content);
    return true;
  }

  #click(target) {
    const act = target.closest("[data-act]")?.dataset.act;
    const row = target.closest("li");
    if (act === "adopt") this.#adopt([this.#left[[...row.parentElement.children].indexOf(row)]]);
    else if (act) this.act(act);
  }

  #pin(one) {
    const said = t("Adopt %(tag)s, %(source)s", one);
    return pinAt({ x: one.box[2], y: one.box[1] }, "pin--suggested", one.tag, said, () => this.#adopt([one]));
  }

  #row(row, { tag, source, note }) {
    row.querySelector(".pin").textContent = tag;
    row.querySelector("[data-part=source]").textContent = source;
    row.querySelector("[data-part=note]").textContent = note;
    row.querySelector("button").setAttribute("aria-label", t("Adopt %(tag)s, %(source)s", { tag, source }));
  }
}
