import { onScreen, pathOf } from "./outline-drawing.js";
import { shape } from "./shapes.js";

/** Pixels of the screen within which a second click is at the same place. */
const NEAR = 8;
/** Milliseconds within which two clicks are a double click, of a mouse or a finger. */
const TWICE = 400;

/** A polygon that is being drawn: corners, and a line on to where the pointer is. */
export class Sketch {
  #parent;
  #done;
  #viewport = null;
  #points = [];
  #led = null;
  #last = -Infinity;
  #line = shape("path", { class: "gold is-draft" });
  #corner = shape("circle", { class: "gold is-draft", r: 4 });

  /** `done(points)`: it was closed. */
  constructor(parent, done) {
    this.#parent = parent;
    this.#done = done;
  }

  get isBegun() {
    return this.#points.length > 0;
  }

  /** Add a corner. The first corner clicked again, or a double click, closes. */
  add(point, { timeStamp }) {
    const twice = this.isBegun && timeStamp - this.#last < TWICE && this.#isNear(point, this.#points.at(-1));
    this.#last = timeStamp;
    if (twice || (this.#points.length > 2 && this.#isNear(point, this.#points[0]))) return this.close();
    this.#points.push(point);
    this.#draw();
  }

  /** Show the side that a click here would add. */
  lead(point) {
    if (!this.isBegun) return;
    this.#led = point;
    this.#draw();
  }

  /** Close it, once it has three corners. */
  close() {
    if (this.#points.length < 3) return;
    const points = this.#points;
    this.leave();
    this.#done(points);
  }

  /** Take the last corner away. */
  back() {
    this.#points.pop();
    this.#draw();
  }

  leave() {
    this.#points = [];
    this.#led = null;
    this.#draw();
  }

  place(viewport) {
    this.#viewport = viewport;
    this.#draw();
  }

  #isNear(point, other) {
    const [[ax, ay], [bx, by]] = [point, other].map((one) => onScreen(one, this.#viewport));
    return Math.hypot(ax - bx, ay - by) < NEAR;
  }

  #draw() {
    if (!this.isBegun || !this.#viewport) {
      this.#line.remove();
      this.#corner.remove();
      return;
    }
    this.#parent.append(this.#line, this.#corner);
    const points = this.#led ? [...this.#points, this.#led] : this.#points;
    this.#line.setAttribute("d", pathOf(points, this.#viewport, true));
    const [x, y] = onScreen(this.#points[0], this.#viewport);
    this.#corner.setAttribute("cx", x);
    this.#corner.setAttribute("cy", y);
  }
}
