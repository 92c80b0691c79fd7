import { t } from "../lib/t.js";
import { HANDLES, dragged, settled, turnedHandle } from "../models/box.js";
import { boxAround, movedPoints, placeOn, pointAt, withoutPoint, withPoint } from "../models/outline.js";
import { OutlineDrawing } from "./outline-drawing.js";
import { placeRect, shape } from "./shapes.js";
import { Sketch } from "./sketch.js";

const HANDLE = 9;
/** Handles lie so far outside the box: what is judged stays free. */
const OUTSIDE = 2;
/** A side that is drawn shorter than this has handles at its ends alone. */
const ROOM = 3 * HANDLE;
const CLICK = 3;
/** Milliseconds within which two clicks on a corner are a double click, of a mouse or a finger. */
const TWICE = 400;

const tagWidth = (words) => Math.max(22, 9 + 6.6 * words.length);

/** Whether a tag of this width on a drawn box would lie over the tag or the first corner of another one. */
const isUnderTag = (other, [x, y], long) => other[0] > x - 22 && other[0] < x + long && Math.abs(other[1] - y) < 18;

/** A shape in words. */
function wordsOf(kind, values) {
  if (kind === "point") return t("Point %(name)s at %(x)s, %(y)s", values);
  if (kind === "polygon") return t("Polygon %(name)s, %(size)s, first corner at %(x)s, %(y)s", values);
  return t("Box %(name)s, %(size)s at %(x)s, %(y)s", values);
}

/**
 * The evidence over the image, to be drawn, moved and sized: boxes, polygons and points. Each is a place for the
 * keyboard too: Tab comes to it, and what has the focus is selected. With Alt a drag draws also where a shape is.
 * A click on the middle of a side of a polygon adds a corner, a double click or Alt with a click on a corner removes it.
 *
 * `acts`: drawn(box), outlined(kind, points), changed(at, box), reshaped(at, points), selected(at or null),
 * cornered(at, vertex): a corner was clicked, drawing(point or null).
 */
export class BoxLayer {
  #size;
  #acts;
  #viewport = null;
  #boxes = [];
  #selected = null;
  #corner = null;
  /** The last click on a corner. */
  #clicked = { at: null, vertex: null, time: -Infinity };
  #drag = null;
  #groups = [];
  #draft = shape("rect", { class: "gold is-draft" });
  #sketch;
  #draws = true;
  #tool = "box";
  /** Boxes can be looked at and chosen, and nothing else. */
  isReadOnly = false;

  constructor(size, acts) {
    this.#size = size;
    this.#acts = acts;
    this.element = shape("svg", { class: "layer marks", role: "group", "aria-label": t("Evidence") });
    this.#sketch = new Sketch(this.element, (points) => this.#acts.outlined("polygon", points));
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

  /** Whether a polygon is begun that is not closed. */
  get sketching() {
    return this.#sketch.isBegun;
  }

  /** What is drawn: "box", "polygon" or "point". A polygon that is begun is left. */
  get tool() {
    return this.#tool;
  }

  set tool(tool) {
    if (tool !== this.#tool) this.#sketch.leave();
    this.#tool = tool;
  }

  get draws() {
    return this.#draws;
  }

  set draws(draws) {
    if (!draws) this.#sketch.leave();
    this.#draws = draws;
  }

  /** Act on the polygon that is begun: "close", "back" (without its last corner) or "leave". */
  sketch(act) {
    this.#sketch[act]();
  }

  place(viewport) {
    this.#viewport = viewport;
    this.#sketch.place(viewport);
    this.#draw();
  }

  /** `corner`: of the selected polygon, the one that keys act on. */
  show(boxes, selected, corner = null) {
    this.#boxes = boxes;
    this.#selected = selected;
    this.#corner = corner;
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
    made.outline = new OutlineDrawing(group);
    made.pin = shape("g", { class: "pins" }, group);
    made.tag = shape("rect", { class: "pin-gold", x: -1, y: -17, height: 16, rx: 2 }, made.pin);
    made.name = shape("text", { y: -9 }, made.pin);
    made.handles = HANDLES.map((name) => shape("rect", { class: "handle", "data-handle": name, width: HANDLE, height: HANDLE }, group));
    made.measure = shape("text", { class: "measure" }, group);
    return made;
  }

  #draw() {
    if (!this.#viewport) return;
    const dragged = this.#drag;
    const points = this.#boxes.map((one, at) => (dragged?.at === at ? dragged.points : one.points) ?? null);
    const now = this.#boxes.map(({ box }, at) => (dragged?.at === at ? dragged.now : box));
    const drawn = now.map((box) => this.#viewport.drawn(box));
    for (const [at, made] of this.#groups.entries()) {
      made.group.classList.toggle("is-outline", points[at] !== null);
      made.outline.place(points[at], this.#viewport, at === this.#selected ? this.#corner : null);
      this.#drawBox(made, at, drawn[at], settled(now[at], this.#size), this.#boxes[at]);
      const crowded = at !== this.#selected && drawn.some((other, i) => i !== at && isUnderTag(other, drawn[at], made.long));
      this.#drawTag(made, crowded ? `G${at + 1}` : made.words);
    }
  }

  #drawBox(made, at, drawn, [x1, y1, x2, y2], { label, kind, points }) {
    const size = `${x2 - x1} × ${y2 - y1} px`;
    const name = `G${at + 1}${label ? ` ${label}` : ""}`;
    made.group.dataset.at = at;
    made.group.classList.toggle("is-on", at === this.#selected);
    made.group.setAttribute("aria-label", wordsOf(kind, { name, size, x: points?.[0][0] ?? x1, y: points?.[0][1] ?? y1 }));
    for (const line of made.lines) placeRect(line, drawn);
    const above = at === this.#selected && !this.isReadOnly ? HANDLE + OUTSIDE : 0;
    made.pin.setAttribute("transform", `translate(${drawn[0]} ${drawn[1] - above})`);
    made.words = name.length > 28 ? `${name.slice(0, 27)}…` : name;
    made.long = tagWidth(made.words);
    made.measure.textContent = kind === "point" ? "" : size;
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
    const onGrip = event.target.closest(".grip") !== null;
    const group = this.sketching || (event.altKey && this.draws && !onGrip) ? null : event.target.closest("g[data-at]");
    if (!group && !this.draws) return;
    // The viewer below would move the image along.
    event.stopPropagation();
    event.preventDefault();
    this.element.setPointerCapture(event.pointerId);
    const at = group ? Number(group.dataset.at) : null;
    const { handle } = event.target.dataset;
    const { box = null, points = null } = group ? this.#boxes[at] : {};
    const grip = group && onGrip ? this.#groups[at].outline.nearest(this.#onScreen(event)) : null;
    const kind = group ? (grip ? "grip" : handle ? "resize" : "move") : this.tool === "box" ? "draw" : "place";
    const start = { kind, at, handle: handle ? turnedHandle(handle, this.#viewport.turns) : "", box, from: this.#point(event), size: this.#size, grip, before: points, points };
    this.#drag = { ...start, now: box, begun: [event.clientX, event.clientY], moved: false };
    if (group) group.focus({ preventScroll: true });
    else this.#acts.selected(null);
  }

  #move(event) {
    if (!this.#viewport) return;
    const point = this.#point(event);
    if (!this.#drag) {
      if (this.draws && !this.isReadOnly) this.#acts.drawing(point);
      this.#sketch.lead(point);
      return;
    }
    event.stopPropagation();
    const [x, y] = this.#drag.begun;
    this.#drag.moved ||= Math.hypot(event.clientX - x, event.clientY - y) >= CLICK;
    if (!this.#drag.moved) return;
    this.#acts.drawing(point);
    if (this.#drag.kind === "place") return this.#sketch.lead(point);
    if (this.#drag.before) this.#shift(point);
    else this.#drag.now = dragged(this.#drag, point);
    if (this.#drag.kind === "draw") this.#drawDraft();
    else this.#draw();
  }

  /** Where a polygon or a point is while it, or a corner of it, is dragged. */
  #shift(point) {
    const { from, before, grip, size } = this.#drag;
    if (!grip) this.#drag.points = movedPoints(before, point[0] - from[0], point[1] - from[1], size);
    else if (grip.side === undefined) this.#drag.points = pointAt(before, grip.vertex, point, size);
    else this.#drag.points = pointAt(withPoint(before, grip.side), placeOn(before, grip.side), point, size);
    this.#drag.now = boxAround(this.#drag.points);
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
    if (drag.kind === "place") return this.#placed(this.#point(event), event);
    if (!drag.moved) return drag.grip && this.#clickedGrip(drag, event);
    if (drag.before) return this.#acts.reshaped(drag.at, drag.points);
    const box = settled(drag.now, this.#size);
    if (drag.kind === "draw") this.#acts.drawn(box);
    else this.#acts.changed(drag.at, box);
  }

  /** A click: a point, or a corner of a polygon. */
  #placed(point, event) {
    if (this.tool === "point") this.#acts.outlined("point", [point]);
    else this.#sketch.add(point, event);
  }

  /** A click on the middle of a side makes a corner of it; on a corner it chooses the corner, and removes it with Alt or the second time. */
  #clickedGrip({ at, before, grip: { side, vertex } }, { altKey, timeStamp: time }) {
    if (side !== undefined) return this.#acts.reshaped(at, withPoint(before, side));
    const last = this.#clicked;
    const twice = last.at === at && last.vertex === vertex && time - last.time < TWICE;
    this.#clicked = { at, vertex, time: twice ? -Infinity : time };
    if (twice || altKey) this.#acts.reshaped(at, withoutPoint(before, vertex));
    else this.#acts.cornered(at, vertex);
  }

  #point(event) {
    return this.#viewport.pointOf(...this.#onScreen(event));
  }

  #onScreen({ clientX, clientY }) {
    const { left, top } = this.element.getBoundingClientRect();
    return [clientX - left, clientY - top];
  }
}
