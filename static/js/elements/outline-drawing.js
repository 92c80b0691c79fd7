import { shape } from "./shapes.js";

const POINT = 5;
const VERTEX = 9;

/** A polygon or a point on the screen: lines over it, and a handle on each corner of a polygon. */
export class OutlineDrawing {
  #group;
  #lines = [];
  #handles = null;

  /** @param {SVGElement} group what it is drawn into, from the first outline on */
  constructor(group) {
    this.#group = group;
  }

  /** @param {number[][]|null} points in the image; null: there is none  @param {Viewport} viewport */
  place(points, viewport) {
    if (points) this.#begin();
    if (!this.#handles) return;
    const d = points ? pathOf(points, viewport) : "";
    for (const line of this.#lines) line.setAttribute("d", d);
    const corners = points && points.length > 1 ? points : [];
    while (this.#handles.childElementCount > corners.length) this.#handles.lastElementChild.remove();
    while (this.#handles.childElementCount < corners.length) shape("rect", { class: "handle vertex", width: VERTEX, height: VERTEX }, this.#handles);
    for (const [at, handle] of [...this.#handles.children].entries()) {
      const [x, y] = onScreen(corners[at], viewport);
      handle.dataset.vertex = at;
      handle.setAttribute("x", x - VERTEX / 2);
      handle.setAttribute("y", y - VERTEX / 2);
    }
  }

  #begin() {
    if (this.#handles) return;
    this.#lines = ["case", "gold", "hit"].map((name) => shape("path", { class: `${name} outline` }, this.#group));
    this.#handles = shape("g", { class: "vertices" }, this.#group);
  }
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
