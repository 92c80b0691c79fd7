import { t } from "../lib/t.js";
import { resized, settled, turnedHandle } from "./box.js";

/**
 * Polygons and points of evidence. In the content each is an entry like a box, {kind, points, box, label}, with the box
 * around it. A size is {width, height} of the image in its own pixels.
 */

const between = (low, value, high) => Math.min(high, Math.max(low, value));

/** Whether an entry is a polygon or a point. */
export const isOutline = ({ points }) => Array.isArray(points);

/** The box around points; around one, the pixel that holds it. */
export function boxAround(points) {
  const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]));
  if (points.length > 1) return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  const [x, y] = points[0].map((value) => Math.max(1, Math.ceil(value)));
  return [x - 1, y - 1, x, y];
}

/** Points on whole pixels inside the image, without one that lies where the one before it lies. */
export function settledPoints(points, size) {
  const whole = points.map(([x, y]) => [between(0, Math.round(x), size.width), between(0, Math.round(y), size.height)]);
  return whole.filter((point, at) => whole.length === 1 || String(point) !== String(whole.at(at - 1)));
}

/** Whether points are a shape of their kind: one point, or a polygon with a width and a height. */
export function isShape(kind, points) {
  if (kind === "point") return points.length === 1;
  const [x1, y1, x2, y2] = points.length ? boxAround(points) : [0, 0, 0, 0];
  return points.length >= 3 && x2 > x1 && y2 > y1;
}

/** The entry with other points. */
export const withPoints = (entry, points) => ({ ...entry, points, box: boxAround(points) });

/** All points shifted as far as the image lets them. */
export function movedPoints(points, dx, dy, size) {
  const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]));
  const byX = between(-Math.min(...xs), dx, size.width - Math.max(...xs));
  const byY = between(-Math.min(...ys), dy, size.height - Math.max(...ys));
  return points.map(([x, y]) => [x + byX, y + byY]);
}

/** The points with the one at a place elsewhere in the image. */
export const pointAt = (points, at, [x, y], size) => points.with(at, [between(0, x, size.width), between(0, y, size.height)]);

/** The place of a point that is made on a side; side n ends at point n, and side 0 closes the polygon. */
export const placeOn = (points, side) => side || points.length;

/** The points with one more in the middle of a side. */
export function withPoint(points, side) {
  const [[ax, ay], [bx, by]] = [points.at(side - 1), points[side]];
  return points.toSpliced(placeOn(points, side), 0, [(ax + bx) / 2, (ay + by) / 2]);
}

export const withoutPoint = (points, at) => points.toSpliced(at, 1);

/** A polygon stretched with the edges of its box that are at the right and at the bottom on the screen. */
export function grownPoints(points, dx, dy, size, turns = 0) {
  const box = boxAround(points);
  const corner = turnedHandle("se", turns);
  const to = settled(resized(box, corner, dx, dy, size), size);
  const along = (value, axis) => to[axis] + ((value - box[axis]) / (box[axis + 2] - box[axis])) * (to[axis + 2] - to[axis]);
  const found = settledPoints(points.map(([x, y]) => [along(x, 0), along(y, 1)]), size);
  return isShape("polygon", found) ? found : points;
}

/** A polygon in the place of a box: a rhombus; or the point in its middle. */
export function inPlaceOf(kind, [x1, y1, x2, y2]) {
  const [x, y] = [Math.round((x1 + x2) / 2), Math.round((y1 + y2) / 2)];
  return kind === "point" ? [[x, y]] : [[x, y1], [x2, y], [x, y2], [x1, y]];
}

/** Corners up to which a polygon is written out in words. */
const MOST_WRITTEN = 12;

/** Square pixels inside a polygon, by the shoelace formula. */
const areaOf = (points) => Math.abs(points.reduce((sum, [x, y], at) => sum + x * points.at(at - 1)[1] - y * points.at(at - 1)[0], 0)) / 2;

/** A polygon in words: its corners, or of one with many their number, with its size, place and area. */
export function polygonWords(points) {
  if (points.length <= MOST_WRITTEN) return t("polygon %(points)s", { points: written(points) });
  const [x1, y1, x2, y2] = boxAround(points).map((value) => Number(value.toFixed(2)));
  return t("polygon with %(count)s corners, %(size)s at %(x)s, %(y)s, area %(area)s px²", {
    count: points.length, size: `${Number((x2 - x1).toFixed(2))} × ${Number((y2 - y1).toFixed(2))} px`, x: x1, y: y1, area: Math.round(areaOf(points)),
  });
}

/** Points as text, "10,20 30,40", and back; null for a text that is none. */
export const written = (points) => points.map((point) => point.map((value) => Number(value.toFixed(2))).join(",")).join(" ");
export function readPoints(text) {
  const points = text.trim().split(/[\s;]+/).map((pair) => pair.split(",").map(Number));
  return points.every((point) => point.length === 2 && point.every(Number.isFinite)) ? points : null;
}

const isInPolygon = (points, x, y) =>
  points.reduce((inside, [bx, by], at) => {
    const [ax, ay] = points.at(at - 1);
    return ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax) ? !inside : inside;
  }, false);

const GRID = 200;

/** About the share of the image that entries take up together, from 0 to 1, by a grid over them; a point takes up none. */
export function shareOfEntries(entries, size) {
  const areas = entries.filter(({ kind }) => kind !== "point");
  if (!areas.length) return 0;
  const [x1, y1, x2, y2] = boxAround(areas.flatMap(({ box }) => [[box[0], box[1]], [box[2], box[3]]]));
  const holds = ({ box, points }, x, y) => (points ? isInPolygon(points, x, y) : x >= box[0] && x < box[2] && y >= box[1] && y < box[3]);
  let cells = 0;
  for (let row = 0; row < GRID; row += 1) {
    for (let column = 0; column < GRID; column += 1) {
      const [x, y] = [x1 + ((column + 0.5) / GRID) * (x2 - x1), y1 + ((row + 0.5) / GRID) * (y2 - y1)];
      if (areas.some((entry) => holds(entry, x, y))) cells += 1;
    }
  }
  return (cells / GRID ** 2) * (((x2 - x1) * (y2 - y1)) / (size.width * size.height));
}
