import { atLeast } from "../lib/geometry.js";

const QUARTERS = [
  { x: 1, y: 0 },
  { x: 0, y: 1 },
  { x: -1, y: 0 },
  { x: 0, y: -1 },
];

/**
 * Where the image lies on the screen: its first corner, screen pixels per image pixel, and by how many quarters it
 * is turned clockwise.
 */
export class Viewport {
  #along;

  constructor({ x, y, scale, turns = 0 }) {
    this.x = x;
    this.y = y;
    this.scale = scale;
    this.turns = ((turns % 4) + 4) % 4;
    this.#along = QUARTERS[this.turns];
  }

  /** From where two opposite corners of an image of that width are on the screen. */
  static between(upperLeft, lowerRight, imageWidth, turns = 0) {
    const across = turns % 2 ? lowerRight.y - upperLeft.y : lowerRight.x - upperLeft.x;
    return new Viewport({ x: upperLeft.x, y: upperLeft.y, scale: Math.abs(across) / imageWidth, turns });
  }

  toScreen([x1, y1, x2, y2]) {
    const [first, last] = [this.#point(x1, y1), this.#point(x2, y2)];
    // Which corner comes first on the screen depends on the turn alone.
    const { x, y } = this.#along;
    const [left, right] = x - y > 0 ? [first, last] : [last, first];
    const [top, bottom] = x + y > 0 ? [first, last] : [last, first];
    return [left[0], top[1], right[0], bottom[1]];
  }

  /** A box of the screen in pixels of the image, between which it may lie. */
  toPicture([x1, y1, x2, y2]) {
    return ordered(this.pointOf(x1, y1), this.pointOf(x2, y2));
  }

  /** The point of the image under a point of the screen. */
  pointOf(x, y) {
    const [across, down] = [(x - this.x) / this.scale, (y - this.y) / this.scale];
    const along = this.#along;
    return [across * along.x + down * along.y, down * along.x - across * along.y];
  }

  /** A direction on the screen as a direction in the image: "right" of a view that is turned is another way there. */
  along(dx, dy) {
    const { x, y } = this.#along;
    return [dx * x + dy * y, dy * x - dx * y];
  }

  /** A box as it is drawn: whole pixels, never smaller than a mark can be seen. */
  drawn(box) {
    return atLeast(this.toScreen(box)).map((value) => Math.round(value * 2) / 2);
  }

  #point(x, y) {
    const along = this.#along;
    return [
      this.x + this.scale * (x * along.x - y * along.y),
      this.y + this.scale * (x * along.y + y * along.x),
    ];
  }
}

/** Pixels of the screen between an image and what it makes room for. */
const AIR = 8;

/**
 * Where an image of `size` is as a whole on a screen: its scale, and the point of the screen in its middle. Where it
 * would be under `over`, a box of the screen or null, it is to the right of it or below it, whichever is larger.
 */
export function fitted(size, screen, over) {
  const within = ([x1, y1, x2, y2]) => ({ scale: Math.min((x2 - x1) / size.width, (y2 - y1) / size.height), middle: [(x1 + x2) / 2, (y1 + y2) / 2] });
  const plain = within([0, 0, screen.width, screen.height]);
  if (!over) return plain;
  const [half, high] = [(size.width * plain.scale) / 2, (size.height * plain.scale) / 2];
  const [x, y] = plain.middle;
  if (x - half >= over[2] || y - high >= over[3] || x + half <= over[0] || y + high <= over[1]) return plain;
  const [right, below] = [within([over[2] + AIR, 0, screen.width, screen.height]), within([0, over[3] + AIR, screen.width, screen.height])];
  return right.scale >= below.scale ? right : below;
}

const ordered = ([ax, ay], [bx, by]) => [Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by)];
