import { t } from "../lib/t.js";
import { HANDLES, dragged, settled, turnedHandle } from "../models/box.js";
import { placeRect, shape } from "./shapes.js";

const HANDLE = 9;
/** Handles lie so far outside the box: what is judged stays free. */
const OUTSIDE = 2;
/** A side that is drawn shorter than this has handles at its ends alone. */
const ROOM = 3 * HANDLE;
const CLICK = 3;

const tagWidth = (words) => Math.max(22, 9 + 6.6 * words.length);

/** Whether a tag of this width on a drawn box would lie over the tag or the first corner of another one. */
const isUnderTag = (other, [x, y], long) => other[0] > x - 22 && other[0] < x + long && Math.abs(other[1] - y) < 18;

/**
 * The evidence boxes over the image, to be drawn, moved and sized. A box is a place for the keyboard too: Tab comes to
 * it, and what has the focus is selected. With Alt a drag draws also where a box is.
 *
 * `acts`: drawn(box), changed(at, box), selected(at or null), drawing(point or null).
 */
export class BoxLayer {
  #size;
  #acts;
  #viewport = null;
  #boxes = [];
  #selected = null;
  #drag = null;
  #groups = [];
  #draft = shape("rect", { class: "gold is-draft" });
  draws = true;
  /** Boxes can be looked at and chosen, and nothing else. */
  isReadOnly = false;

  constructor(size, acts) {
    this.#size = size;
    this.#acts = acts;
    this.element = shape("svg", { class: "layer marks", role: "group", "aria-label": t("Evidence boxes") });
    this.element.addEventListener("pointerdown", (event) => this.#down(event));
    this.element.addEventListener("pointermove", (event) => this.#move(event));
    this.element.addEventListener("pointerup", (event) => this.#up(event));
    this.element.addEventListener("pointercancel", () => this.cancel());
    this.element.addEventListener("pointerleave", () => this.#drag || this.#acts.drawing(null));
    this.element.addEventListener("focusin", ({ target }) => {
      const at = this.#groups.findIndex(({ group }) => group === target);
      if (at >= 0) this.#acts.selected(at);
    });
  }

  get dragging() {
    return this.#drag !== null;
  }

  place(viewport) {
    this.#viewport = viewport;
    this.#draw();
  }

  show(boxes, selected) {
    this.#boxes = boxes;
    this.#selected = selected;
    while (this.#groups.length < boxes.length) this.#groups.push(this.#made());
    for (const { group } of this.#groups.splice(boxes.length)) group.remove();
    this.#draw();
  }

  focus(at) {
    this.#groups[at]?.group.focus({ preventScroll: true });
  }

  /** Leave the box as it was before it was dragged. */
  cancel() {
    this.#drag = null;
    this.#draft.remove();
    this.#acts.drawing(null);
    this.#draw();
  }

  #made() {
    const group = shape("g", { tabindex: 0, role: "img" }, this.element);
    const made = { group, lines: ["case", "gold", "hit"].map((name) => shape("rect", { class: name }, group)) };
    made.pin = shape("g", { class: "pins" }, group);
    made.tag = shape("rect", { class: "pin-gold", x: -1, y: -17, height: 16, rx: 2 }, made.pin);
    made.name = shape("text", { y: -9 }, made.pin);
    made.handles = HANDLES.map((name) => shape("rect", { class: "handle", "data-handle": name, width: HANDLE, height: HANDLE }, group));
    made.measure = shape("text", { class: "measure" }, group);
    return made;
  }

  #draw() {
    if (!this.#viewport) return;
    const now = this.#boxes.map(({ box }, at) => (this.#drag?.at === at ? this.#drag.now : box));
    const drawn = now.map((box) => this.#viewport.drawn(box));
    for (const [at, made] of this.#groups.entries()) {
      this.#drawBox(made, at, drawn[at], settled(now[at], this.#size), this.#boxes[at].label);
      const crowded = at !== this.#selected && drawn.some((other, i) => i !== at && isUnderTag(other, drawn[at], made.long));
      this.#drawTag(made, crowded ? `G${at + 1}` : made.words);
    }
  }

  #drawBox(made, at, drawn, [x1, y1, x2, y2], label) {
    const size = `${x2 - x1} × ${y2 - y1} px`;
    const name = `G${at + 1}${label ? ` ${label}` : ""}`;
    made.group.dataset.at = at;
    made.group.classList.toggle("is-on", at === this.#selected);
    made.group.setAttribute("aria-label", t("Box %(name)s, %(size)s at %(x)s, %(y)s", { name, size, x: x1, y: y1 }));
    for (const line of made.lines) placeRect(line, drawn);
    const above = at === this.#selected && !this.isReadOnly ? HANDLE + OUTSIDE : 0;
    made.pin.setAttribute("transform", `translate(${drawn[0]} ${drawn[1] - above})`);
    made.words = name.length > 28 ? `${name.slice(0, 27)}…` : name;
    made.long = tagWidth(made.words);
    made.measure.textContent = size;
    made.measure.setAttribute("x", (drawn[0] + drawn[2]) / 2);
    made.measure.setAttribute("y", drawn[3] + 20 + OUTSIDE);
    for (const handle of made.handles) this.#placeHandle(handle, drawn);
    made.group.classList.toggle("is-small", Math.min(drawn[2] - drawn[0], drawn[3] - drawn[1]) < ROOM);
  }

  #drawTag(made, words) {
    made.name.textContent = words;
    made.tag.setAttribute("width", tagWidth(words));
    made.name.setAttribute("x", tagWidth(words) / 2 - 1);
  }

  #placeHandle(handle, [x1, y1, x2, y2]) {
    const name = handle.dataset.handle;
    const x = name.includes("w") ? x1 - OUTSIDE - HANDLE : name.includes("e") ? x2 + OUTSIDE : (x1 + x2 - HANDLE) / 2;
    const y = name.startsWith("n") ? y1 - OUTSIDE - HANDLE : name.startsWith("s") ? y2 + OUTSIDE : (y1 + y2 - HANDLE) / 2;
    handle.setAttribute("x", x);
    handle.setAttribute("y", y);
  }

  #down(event) {
    if (event.button !== 0 || !this.#viewport || this.isReadOnly) return;
    const group = event.altKey && this.draws ? null : event.target.closest("g[data-at]");
    if (!group && !this.draws) return;
    // The viewer below would move the image along.
    event.stopPropagation();
    event.preventDefault();
    this.element.setPointerCapture(event.pointerId);
    const at = group ? Number(group.dataset.at) : null;
    const handle = event.target.dataset.handle;
    const kind = group ? (handle ? "resize" : "move") : "draw";
    const box = group ? this.#boxes[at].box : null;
    const start = { kind, at, handle: handle ? turnedHandle(handle, this.#viewport.turns) : "", box, from: this.#point(event), size: this.#size };
    this.#drag = { ...start, now: box, begun: [event.clientX, event.clientY], moved: false };
    if (group) group.focus({ preventScroll: true });
    else this.#acts.selected(null);
  }

  #move(event) {
    if (!this.#viewport) return;
    const point = this.#point(event);
    if (!this.#drag) {
      if (this.draws && !this.isReadOnly) this.#acts.drawing(point);
      return;
    }
    event.stopPropagation();
    const [x, y] = this.#drag.begun;
    this.#drag.moved ||= Math.hypot(event.clientX - x, event.clientY - y) >= CLICK;
    if (!this.#drag.moved) return;
    this.#drag.now = dragged(this.#drag, point);
    this.#acts.drawing(point);
    if (this.#drag.kind === "draw") this.#drawDraft();
    else this.#draw();
  }

  #drawDraft() {
    this.element.append(this.#draft);
    placeRect(this.#draft, this.#viewport.toScreen(this.#drag.now));
  }

  #up(event) {
    const drag = this.#drag;
    if (!drag) return;
    event.stopPropagation();
    this.cancel();
    if (!drag.moved) return;
    const box = settled(drag.now, this.#size);
    if (drag.kind === "draw") this.#acts.drawn(box);
    else this.#acts.changed(drag.at, box);
  }

  #point(event) {
    const bounds = this.element.getBoundingClientRect();
    return this.#viewport.pointOf(event.clientX - bounds.left, event.clientY - bounds.top);
  }
}
