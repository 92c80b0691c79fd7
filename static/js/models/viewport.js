import { atLeast } from "../lib/geometry.js";

/** Where the picture lies on the screen: its left upper corner, and screen pixels per picture pixel. */
export class Viewport {
  constructor({ x, y, scale }) {
    this.x = x;
    this.y = y;
    this.scale = scale;
  }

  /** From where two opposite corners of a picture of that width are on the screen. */
  static between(upperLeft, lowerRight, imageWidth) {
    return new Viewport({ x: upperLeft.x, y: upperLeft.y, scale: (lowerRight.x - upperLeft.x) / imageWidth });
  }

  toScreen([x1, y1, x2, y2]) {
    return [this.#across(x1), this.#down(y1), this.#across(x2), this.#down(y2)];
  }

  /** A box as it is drawn: whole pixels, never smaller than a mark can be seen. */
  drawn(box) {
    return atLeast(this.toScreen(box)).map((value) => Math.round(value * 2) / 2);
  }

  #across(x) {
    return this.x + x * this.scale;
  }

  #down(y) {
    return this.y + y * this.scale;
  }
}
