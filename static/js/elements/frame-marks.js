import { placeRect, shape } from "./shapes.js";

const PIN = 16;

/** The layer of marks over a deep-zoom picture. Strokes and tags keep their size at every zoom. */
export class FrameMarks {
  #groups = [];

  constructor(marks) {
    this.element = shape("svg", { class: "frame__marks marks", "aria-hidden": "true" });
    for (const mark of marks) this.#groups.push({ mark, ...this.#draw(mark) });
  }

  /** Put everything where the viewport says. */
  place(viewport) {
    for (const { mark, rects, pin } of this.#groups) {
      const box = viewport.drawn(mark.box);
      for (const rect of rects) placeRect(rect, box);
      pin?.setAttribute("transform", `translate(${box[0]} ${box[1]})`);
    }
  }

  /** Show which turn is in focus; the others step back while there is one. */
  focus(turn) {
    for (const { mark, group, line } of this.#groups) {
      const on = turn !== null && mark.turn === turn;
      line.classList.toggle("is-on", on && mark.kind === "crop");
      group.classList.toggle("is-off", turn !== null && mark.turn !== null && !on);
      if (on) this.#raise(group);
    }
  }

  /** Show those that `shown` says yes to. */
  keep(shown) {
    for (const { mark, group } of this.#groups) group.classList.toggle("is-gone", !shown(mark));
  }

  showGold(shown) {
    this.element.classList.toggle("no-gold", !shown);
  }

  /** Gold stays above the crop in focus, so that it is seen inside. */
  #raise(group) {
    const firstGold = this.#groups.find(({ mark }) => mark.kind === "gold");
    this.element.insertBefore(group, firstGold?.group ?? null);
  }

  #draw({ kind, turn, tag }) {
    const group = shape("g", { class: `is-${kind}` }, this.element);
    if (turn !== null) group.dataset.turn = turn;
    const rects = [];
    if (kind !== "asked") rects.push(shape("rect", { class: "case" }, group));
    const line = shape("rect", { class: kind }, group);
    rects.push(line);
    if (turn !== null) rects.push(shape("rect", { class: "hit" }, group));
    return { group, rects, line, pin: tag ? this.#pin(kind, tag, group) : null };
  }

  #pin(kind, tag, group) {
    const pin = shape("g", { class: "pins pin-hit" }, group);
    const long = Math.max(PIN, 9 + 7 * tag.length);
    const round = kind === "crop";
    const at = round ? { x: -PIN / 2, y: -PIN / 2, rx: PIN / 2 } : { x: -1, y: -PIN - 1, rx: 2 };
    shape("rect", { class: `pin-${kind}`, width: round ? PIN : long, height: PIN, ...at }, pin);
    const text = shape("text", round ? {} : { x: long / 2 - 1, y: -PIN / 2 - 1 }, pin);
    text.textContent = tag;
    return pin;
  }
}
