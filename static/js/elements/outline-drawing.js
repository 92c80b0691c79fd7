import { shape } from "./shapes.js";

const POINT = 5;
/** A side that is drawn shorter than this has no handle in its middle. */
const ROOM = 32;

/** A polygon or a point on the screen: lines over it, and a handle on each corner and each side of a polygon. */
export class OutlineDrawing {
  #group;
  #lines = [];
  #handles = null;
  /** What can be gripped: {vertex or side, at}, with its place on the screen. */
  #grips = [];

  /** @param {SVGElement} group what it is drawn into, from the first outline on */
  constructor(group) {
    this.#group = group;
  }

  /** @param {number[][]|null} points in the image; null: there is none  @param {Viewport} viewport  @param {number|null} chosen the corner that keys act on */
  place(points, viewport, chosen = null) {
    if (points) this.#begin();
    if (!this.#handles) return;
    const d = points ? pathOf(points, viewport) : "";
    for (const line of this.#lines) line.setAttribute("d", d);
    const corners = (points && points.length > 1 ? points : []).map((point) => onScreen(point, viewport));
    // Corners lie over the sides, where they meet on the screen.
    this.#grips = [...gripsOfSides(corners), ...corners.map((at, vertex) => ({ vertex, at }))];
    while (this.#handles.childElementCount > this.#grips.length) this.#handles.lastElementChild.remove();
    while (this.#handles.childElementCount < this.#grips.length) this.#handles.append(gripMade());
    for (const [place, handle] of [...this.#handles.children].entries()) {
      const { vertex, at: [x, y] } = this.#grips[place];
      handle.setAttribute("class", vertex === undefined ? "grip grip--side" : vertex === chosen ? "grip is-chosen" : "grip");
      handle.setAttribute("transform", `translate(${x} ${y})`);
    }
  }

  /** The handle nearest to a place on the screen: {vertex} or {side}. What can be gripped around handles overlaps. */
  nearest([x, y]) {
    const away = ({ at }) => Math.hypot(at[0] - x, at[1] - y);
    return this.#grips.reduce((best, grip) => (away(grip) <= away(best) ? grip : best));
  }

  #begin() {
    if (this.#handles) return;
    this.#lines = ["case", "gold", "hit"].map((name) => shape("path", { class: `${name} outline` }, this.#group));
    this.#handles = shape("g", { class: "grips" }, this.#group);
  }
}

/** A handle in the middle of each side, to make a corner of it. */
function gripsOfSides(corners) {
  const sides = corners.map(([bx, by], side) => {
    const [ax, ay] = corners.at(side - 1);
    return { side, at: [(ax + bx) / 2, (ay + by) / 2], long: Math.hypot(bx - ax, by - ay) };
  });
  return sides.filter(({ long }) => long >= ROOM);
}

/** What is gripped around a handle, the square of a corner, and the circle of a side. */
function gripMade() {
  const made = shape("g");
  shape("circle", { class: "grip__around" }, made);
  shape("rect", { class: "grip__corner", x: -4.5, y: -4.5, width: 9, height: 9 }, made);
  shape("circle", { class: "grip__middle" }, made);
  return made;
}

/** A point of the image on the screen. */
export const onScreen = ([x, y], viewport) => viewport.toScreen([x, y, x, y]).slice(0, 2);

/** The path of a polygon on the screen, or of the circle around a point; `open`: not closed yet. */
export function pathOf(points, viewport, open = false) {
  const places = points.map((point) => onScreen(point, viewport));
  if (points.length === 1 && !open) {
    const [x, y] = places[0];
    return `M${x - POINT} ${y}a${POINT} ${POINT} 0 1 0 ${2 * POINT} 0a${POINT} ${POINT} 0 1 0 ${-2 * POINT} 0ZM${x} ${y}h.01`;
  }
  return `M${places.map((place) => place.join(" ")).join("L")}${open ? "" : "Z"}`;
}
