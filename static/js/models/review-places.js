import { height, width } from "../lib/geometry.js";

/** The point of the picture under a point of the stage. `viewport`: see models/viewport.js. */
export const pictureAt = ({ x, y, scale }, across, down) => ({ x: (across - x) / scale, y: (down - y) / scale });

/** The part of the picture that a stage of this size shows, cut to the picture. */
export function shownPart(viewport, stage, picture) {
  const from = pictureAt(viewport, 0, 0);
  const to = pictureAt(viewport, stage.width, stage.height);
  return [Math.max(0, from.x), Math.max(0, from.y), Math.min(picture.width, to.x), Math.min(picture.height, to.y)];
}

/** The square around a box that a lens shows: at least `least` pixels and twice the box, inside the picture. */
export function lensArea(box, picture, least = 48) {
  const most = Math.min(picture.width, picture.height);
  const side = Math.min(most, Math.max(least, Math.ceil(2 * Math.max(width(box), height(box)))));
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
