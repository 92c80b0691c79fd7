import { t, tn } from "../lib/t.js";
import {
  addDistractor, addTarget, intoOwnStep, intoStep, isEither, markEither, removeDistractor, removeTarget, setLikeness, shiftTarget,
  stepsOf,
} from "../models/plan.js";
import { copied, dragRows, keepRows, write } from "./rows.js";
import { ToolFinder } from "./tool-finder.js";
import { ToolPictures } from "./tool-pictures.js";

/**
 * The tool plan: targets by step, distractors, and names from the tool bank. On a target Alt with an arrow moves it between
 * steps, Delete removes it; a target dropped on another shares its step, dropped between two it has its own.
 */
export class PlanEditor {
  #root;
  #bank;
  #edit;
  #pictures;
  #content = null;
  #finder;
  #ways;

  /** @param {{reveal: (element: HTMLElement) => void, next: () => void}} ways how the plan is shown, and where it goes on */
  constructor(root, bank, edit, image, ways) {
    this.#ways = ways;
    this.#root = root;
    this.#bank = bank;
    this.#pictures = new ToolPictures(image, bank);
    this.#edit = edit;
    const targets = this.#part("targets");
    targets.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("click", (event) => this.#clicked(event));
    root.addEventListener("change", ({ target }) => this.#chosen(target));
    this.#finder = new ToolFinder(root, bank, {
      take: (tool, distracts) => edit((content) => (distracts ? addDistractor(content, tool) : addTarget(content, tool))),
      shown: (tool) => this.#placeOf(tool),
      draw: (canvas, tool) => this.#found(canvas, tool),
      next: ways.next,
    });
    dragRows(targets, () => this.#rows, (from, at, edge) => this.#dropped(from, at, edge));
  }

  show(content) {
    this.#content = content;
    const steps = stepsOf(content);
    const list = this.#part("targets");
    keepRows(list, steps.length, () => copied("row-step"));
    for (const [place, tools] of steps.entries()) this.#step(list.children[place], place + 1, tools);
    this.#part("targets-n").textContent = content.targets.length ? tn("%(targets)s in %(count)s step", "%(targets)s in %(count)s steps", steps.length, { targets: content.targets.length }) : "";
    this.#part("no-targets").hidden = content.targets.length > 0;
    const cut = this.#part("distractors");
    keepRows(cut, content.distractors.length, () => copied("row-distractor"));
    for (const [at, tool] of content.distractors.entries()) this.#distractor(cut.children[at], tool);
    write(this.#part("ordered"), content.ordered === null ? "" : String(content.ordered));
  }

  /** Go to where tools are named. */
  begin() {
    this.#ways.reveal(this.#root);
    this.#part("find").focus();
  }

  settle() {
    this.#finder.settle();
  }

  get #rows() {
    return [...this.#root.querySelectorAll("[data-at]")];
  }

  #part(name) {
    return this.#root.querySelector(`[data-part="${name}"]`);
  }

  #step(step, number, tools) {
    step.querySelector(".plan-step__n").textContent = number;
    step.setAttribute("aria-label", t("Step %(number)s", { number }));
    step.dataset.place = number - 1;
    step.querySelector("[data-part=either]").hidden = tools.length < 2;
    step.querySelector("[data-part=enough]").checked = isEither(tools);
    const list = step.querySelector("[data-part=step-tools]");
    keepRows(list, tools.length, () => copied("row-target"));
    for (const [here, { tool, at }] of tools.entries()) {
      const row = list.children[here];
      row.dataset.at = at;
      row.setAttribute("aria-label", t("%(tool)s, step %(number)s", { tool, number }));
      row.querySelector("b").textContent = tool;
      this.#picture(row.querySelector("canvas"), tool);
      row.querySelector("[data-part=bank]").textContent = this.#bank.wordsFor(tool);
      row.querySelector("button").setAttribute("aria-label", t("Remove target %(tool)s", { tool }));
    }
  }

  #distractor(chip, tool) {
    chip.dataset.tool = tool;
    chip.querySelector("span").textContent = tool;
    this.#picture(chip.querySelector("canvas"), tool);
    const likeness = chip.querySelector("select");
    write(likeness, this.#content.likeness?.[tool] ?? "");
    likeness.setAttribute("aria-label", t("Likeness of %(tool)s", { tool }));
    chip.querySelector("small").textContent = this.#bank.settled(tool) ? "" : this.#bank.wordsFor(tool);
    chip.querySelector("button").setAttribute("aria-label", t("Remove distractor %(tool)s", { tool }));
  }

  #picture(canvas, tool) {
    this.#pictures.show(canvas, tool, this.#content.gold_boxes, () => this.show(this.#content));
  }

  #found(canvas, tool) {
    this.#pictures.show(canvas, tool, this.#content.gold_boxes, () => this.#found(canvas, tool));
  }

  /** Where the plan has a tool of the bank, by whatever name. */
  #placeOf(tool) {
    const same = (name) => this.#bank.find(name) === tool;
    const target = this.#content.targets.find((one) => same(one.tool));
    if (target) return `step ${target.step}`;
    return this.#content.distractors.some(same) ? "distractor" : "";
  }

  #key(event) {
    const row = event.target.closest("[data-at]");
    if (!row || event.target !== row) return;
    const at = Number(row.dataset.at);
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by && event.altKey) this.#shift(at, by);
    else if (by) this.#rows[this.#rows.indexOf(row) + by]?.focus();
    else if (event.key === "Delete" || event.key === "Backspace") {
      this.#edit((content) => removeTarget(content, at));
      (this.#rows[at] ?? this.#rows.at(-1))?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #shift(at, by) {
    const { tool } = this.#content.targets[at];
    this.#edit((content) => shiftTarget(content, at, by));
    this.#rows.find((row) => row.querySelector("b").textContent === tool)?.focus();
  }

  #dropped(from, onto, edge) {
    const [moving, other] = [from, onto].map((place) => Number(this.#rows[place].dataset.at));
    const place = stepsOf(this.#content).findIndex((tools) => tools.some(({ at }) => at === other));
    if (edge === "onto") this.#edit((content) => intoStep(content, moving, place));
    else this.#edit((content) => intoOwnStep(content, moving, edge === "before" ? place : place + 1));
  }

  #clicked({ target }) {
    const act = target.closest("[data-act]")?.dataset.act;
    if (act === "remove-target") {
      const at = Number(target.closest("[data-at]").dataset.at);
      this.#edit((content) => removeTarget(content, at));
    } else if (act === "remove-distractor") {
      const { tool } = target.closest("[data-tool]").dataset;
      this.#edit((content) => removeDistractor(content, tool));
    }
  }

  #chosen(field) {
    const { part } = field.dataset;
    if (part === "enough") this.#edit((content) => markEither(content, Number(field.closest("[data-place]").dataset.place), field.checked));
    else if (part === "likeness") this.#edit((content) => setLikeness(content, field.closest("[data-tool]").dataset.tool, field.value));
    else if (field === this.#part("ordered")) this.#ordered(field);
  }

  #ordered(field) {
    this.#edit((content) => ({ ...content, ordered: field.value === "" ? null : field.value === "true" }));
  }
}
