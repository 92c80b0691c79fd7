import { height, width } from "../lib/geometry.js";
import { moved, resized, settled, turnedHandle } from "./box.js";
import { boxAround, grownPoints, isOutline, isShape, movedPoints, pointAt, settledPoints, withPoints } from "./outline.js";

/** The evidence boxes of a sample's content: every change gives new content and leaves the old as it is. */

const withBoxes = (content, gold_boxes) => ({ ...content, gold_boxes });

/** Add a box; it is the last one. */
export const addBox = (content, box, label = "") => withBoxes(content, [...content.gold_boxes, { box, label }]);

/** Add a polygon or a point; it is the last one. Content stays as it is where these points are none. */
export function addOutline(content, kind, points, size) {
  const settledOnes = settledPoints(points, size);
  if (!isShape(kind, settledOnes)) return content;
  return withBoxes(content, [...content.gold_boxes, { box: boxAround(settledOnes), kind, points: settledOnes, label: "" }]);
}

/** The polygon or point with other points, where these are one. */
export function setPoints(content, at, points, size) {
  const entry = content.gold_boxes[at];
  const settledOnes = settledPoints(points, size);
  return isShape(entry.kind, settledOnes) ? withBoxes(content, content.gold_boxes.with(at, withPoints(entry, settledOnes))) : content;
}

/** Add the shape of a model, which keeps its source. Content stays as it is where the points are no polygon and no point. */
export function addProposed(content, { box, points, label = "", source }, size) {
  if (!points) return withBoxes(content, [...content.gold_boxes, { box: settled(box, size), label, source }]);
  const added = addOutline(content, points.length > 1 ? "polygon" : "point", points, size);
  return added === content ? content : withBoxes(added, added.gold_boxes.with(-1, { ...added.gold_boxes.at(-1), label, source }));
}

/** The suggestions that no box was adopted from; a source has one box on a sample. */
export const notAdopted = (suggestions, { gold_boxes: boxes }) =>
  suggestions.filter(({ source }) => !boxes.some((one) => one.source === source));

export const removeBox = (content, at) => withBoxes(content, content.gold_boxes.toSpliced(at, 1));

export const setBox = (content, at, box) => withBoxes(content, content.gold_boxes.with(at, { ...content.gold_boxes[at], box }));

export const labelBox = (content, at, label) =>
  withBoxes(content, content.gold_boxes.with(at, { ...content.gold_boxes[at], label }));

/** A second box a little to the lower right; the last one. */
export function duplicateBox(content, at, size) {
  const { box, label, kind, points } = content.gold_boxes[at];
  if (points) {
    const added = addOutline(content, kind, movedPoints(points, 12, 12, size), size);
    return labelBox(added, added.gold_boxes.length - 1, label);
  }
  return addBox(content, settled(moved(box, 12, 12, size), size), label);
}

export function nudgeBox(content, at, dx, dy, size) {
  const entry = content.gold_boxes[at];
  if (isOutline(entry)) return setPoints(content, at, movedPoints(entry.points, dx, dy, size), size);
  return setBox(content, at, settled(moved(entry.box, dx, dy, size), size));
}

/** Shift one corner of a polygon as far as the image lets it; one that would come to lie on the corner beside it stays. */
export function nudgeCorner(content, at, corner, dx, dy, size) {
  const { points } = content.gold_boxes[at];
  const [x, y] = points[corner];
  const next = setPoints(content, at, pointAt(points, corner, [x + dx, y + dy], size), size);
  return next.gold_boxes[at].points.length === points.length ? next : content;
}

/**
 * Shift the edges that are at the right and at the bottom on the screen, where the image is turned by `turns` quarters.
 * `dx` and `dy` are pixels of the image along its own axes. A box keeps at least one pixel.
 */
export function growBox(content, at, dx, dy, size, turns = 0) {
  const { box, kind, points } = content.gold_boxes[at];
  if (kind === "point") return content;
  if (points) return setPoints(content, at, grownPoints(points, dx, dy, size, turns), size);
  const corner = turnedHandle("se", turns);
  const within = (by, side, outwards) => outwards * Math.max(1 - side, outwards * by);
  const across = within(dx, width(box), corner.includes("e") ? 1 : -1);
  const down = within(dy, height(box), corner.startsWith("s") ? 1 : -1);
  return setBox(content, at, settled(resized(box, corner, across, down, size), size));
}

/** Say one of x, y, w, h in pixels; a shift keeps the size, as far as the image lets it. */
export function measureBox(content, at, name, value, size) {
  const [x1, y1, x2, y2] = content.gold_boxes[at].box;
  const change = {
    x: () => moved([x1, y1, x2, y2], value - x1, 0, size),
    y: () => moved([x1, y1, x2, y2], 0, value - y1, size),
    w: () => [x1, y1, x1 + Math.max(1, value), y2],
    h: () => [x1, y1, x2, y1 + Math.max(1, value)],
  }[name];
  return setBox(content, at, settled(change(), size));
}
