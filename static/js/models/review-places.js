import { height, width } from "../lib/geometry.js";

/** The square around a box that a lens shows: a quarter more than the box and at least `least` pixels, inside the image. */
export function lensArea(box, picture, least = 48) {
  const most = Math.min(picture.width, picture.height);
  const side = Math.min(most, Math.max(least, Math.ceil(1.25 * Math.max(width(box), height(box)))));
  const start = (from, to, end) => Math.round(Math.min(Math.max(0, (from + to - side) / 2), end - side));
  const x = start(box[0], box[2], picture.width);
  const y = start(box[1], box[3], picture.height);
  return [x, y, x + side, y + side];
}

/** The smallest box around all of them, or null. */
export function around(boxes) {
  if (!boxes.length) return null;
  const of = (pick, place) => pick(...boxes.map((box) => box[place]));
  return [of(Math.min, 0), of(Math.min, 1), of(Math.max, 2), of(Math.max, 3)];
}
