import { pathOf } from "./outline-drawing.js";
import { placeRect, shape } from "./shapes.js";

const PIN = 16;

/** The layer of marks over a deep-zoom image. Strokes and tags keep their size at every zoom. */
export class FrameMarks {
  #groups = [];
  #dense = null;
  #waiting = [];
  #viewport = null;

  /** With `dense`, layers of how many crops lie where, a turn is outlined only while it is in focus or pointed at. */
  constructor(marks, dense = []) {
    this.element = shape("svg", { class: "frame__marks marks", "aria-hidden": "true" });
    if (dense.length) this.#dense = this.#shade(dense);
    for (const mark of marks) {
      if (this.#dense && mark.turn !== null) this.#waiting.push(mark);
      else this.#groups.push(this.#draw(mark));
    }
  }

  /** Draw these marks instead of the ones before. */
  set(marks) {
    for (const { group } of this.#groups) group.remove();
    this.#groups = marks.map((mark) => this.#draw(mark));
    if (this.#viewport) for (const one of this.#groups) this.#put(one);
  }

  /** Put everything where the viewport says. */
  place(viewport) {
    this.#viewport = viewport;
    const { x, y, scale } = viewport;
    this.#dense?.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
    for (const one of this.#groups) this.#put(one);
  }

  /** Show which turn is in focus; the others step back while there is one. */
  focus(turn) {
    this.#outline([turn]);
    this.#dense?.classList.toggle("is-off", turn !== null);
    for (const { mark, group, line } of this.#groups) {
      const on = turn !== null && mark.turn === turn;
      line.classList.toggle("is-on", on && mark.kind === "crop");
      group.classList.toggle("is-off", turn !== null && mark.turn !== null && !on);
      if (on) this.#raise(group);
    }
  }

  /** Among crops too many to be outlined each, outline this one too, beside the one in focus. */
  pointAt(turn, focused) {
    this.#outline([focused, turn]);
  }

  /** Show those that `shown` says yes to. */
  keep(shown) {
    for (const { mark, group } of this.#groups) group.classList.toggle("is-gone", !shown(mark));
  }

  showGold(shown) {
    this.element.classList.toggle("no-gold", !shown);
  }

  /** Of what waits, draw these turns and no others. */
  #outline(turns) {
    if (!this.#dense) return;
    const kept = ({ mark }) => mark.turn === null || turns.includes(mark.turn);
    for (const one of this.#groups) if (!kept(one)) one.group.remove();
    this.#groups = this.#groups.filter(kept);
    for (const mark of this.#waiting) {
      if (!turns.includes(mark.turn) || this.#groups.some((one) => one.mark === mark)) continue;
      const made = this.#draw(mark);
      this.#groups.push(made);
      this.#raise(made.group);
      if (this.#viewport) this.#put(made);
    }
  }

  #put({ mark, rects, pin }) {
    const box = this.#viewport.drawn(mark.box);
    for (const rect of rects) {
      if (mark.points) rect.setAttribute("d", pathOf(mark.points, this.#viewport));
      else placeRect(rect, box);
    }
    pin?.setAttribute("transform", `translate(${box[0]} ${box[1]})`);
  }

  #shade(layers) {
    const group = shape("g", {}, this.element);
    for (const [opacity, d] of layers) shape("path", { class: "dense", "fill-opacity": opacity, d }, group);
    return group;
  }

  /** Gold stays above the crop in focus, so that it is seen inside. */
  #raise(group) {
    const firstGold = this.#groups.find(({ mark }) => mark.kind === "gold");
    this.element.insertBefore(group, firstGold?.group ?? null);
  }

  #draw(mark) {
    const { kind, turn, tag } = mark;
    const group = shape("g", { class: `is-${kind}` }, this.element);
    if (turn !== null) group.dataset.turn = turn;
    const rects = [];
    const form = mark.points ? "path" : "rect";
    if (kind !== "asked") rects.push(shape(form, { class: "case" }, group));
    const line = shape(form, { class: kind }, group);
    rects.push(line);
    if (turn !== null) rects.push(shape("rect", { class: "hit" }, group));
    return { mark, group, rects, line, pin: tag ? this.#pin(kind, tag, group) : null };
  }

  #pin(kind, tag, group) {
    const pin = shape("g", { class: "pins pin-hit" }, group);
    const long = Math.max(PIN, 9 + 7 * tag.length);
    const round = kind === "crop";
    // A round pin stands with its middle on the corner, and grows with its text where that does not fit into it.
    const roundAcross = /^(.|\d\d)$/.test(tag) ? PIN : 5 + 7 * tag.length;
    const across = round ? roundAcross : long;
    const at = round ? { x: -across / 2, y: -PIN / 2, rx: PIN / 2 } : { x: -1, y: -PIN - 1, rx: 2 };
    shape("rect", { class: `pin-${kind}`, width: across, height: PIN, ...at }, pin);
    const text = shape("text", round ? {} : { x: long / 2 - 1, y: -PIN / 2 - 1 }, pin);
    text.textContent = tag;
    return pin;
  }
}
