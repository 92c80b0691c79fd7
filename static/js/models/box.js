import { area, framed, height, width } from "../lib/geometry.js";

/**
 * Boxes as they are drawn and changed. A size is {width, height} of the image in its own pixels. While something is
 * dragged a box may lie between pixels; `settled` puts it on whole ones, once, at the end.
 */

export const HANDLES = ["nw", "n", "ne", "e", "se", "s", "sw", "w"];

/** The handle of the image that is drawn at this place of the screen, where the image is turned by quarters. */
export const turnedHandle = (handle, turns) => HANDLES[(((HANDLES.indexOf(handle) - 2 * turns) % 8) + 8) % 8];

const between = (low, value, high) => Math.min(high, Math.max(low, value));

/** The box that two opposite corners span, inside the image. */
export function spanned([ax, ay], [bx, by], size) {
  const x = [between(0, ax, size.width), between(0, bx, size.width)];
  const y = [between(0, ay, size.height), between(0, by, size.height)];
  return [Math.min(...x), Math.min(...y), Math.max(...x), Math.max(...y)];
}

/** The box shifted as far as the image lets it. */
export function moved([x1, y1, x2, y2], dx, dy, size) {
  const byX = between(-x1, dx, size.width - x2);
  const byY = between(-y1, dy, size.height - y2);
  return [x1 + byX, y1 + byY, x2 + byX, y2 + byY];
}

/** The box with the edges of one handle shifted. An edge may be taken over to the other side. */
export function resized([x1, y1, x2, y2], handle, dx, dy, size) {
  const left = handle.includes("w") ? dx : 0;
  const right = handle.includes("e") ? dx : 0;
  const top = handle.startsWith("n") ? dy : 0;
  const bottom = handle.startsWith("s") ? dy : 0;
  return spanned([x1 + left, y1 + top], [x2 + right, y2 + bottom], size);
}

/** The box on whole pixels, at least one pixel wide and high, inside the image. */
export function settled(box, size) {
  const [x1, x2] = settledEdges(box[0], box[2], size.width);
  const [y1, y2] = settledEdges(box[1], box[3], size.height);
  return [x1, y1, x2, y2];
}

function settledEdges(low, high, most) {
  const first = between(0, Math.round(low), most - 1);
  return [first, between(first + 1, Math.round(high), most)];
}

/** A part of the image of this aspect (width / height) that holds all boxes and some of what is around them. */
export function seenAround(boxes, aspect, size) {
  const sides = [0, 1, 2, 3].map((side) => boxes.map((box) => box[side]));
  const [x1, y1, x2, y2] = [Math.min(...sides[0]), Math.min(...sides[1]), Math.max(...sides[2]), Math.max(...sides[3])];
  const margin = Math.max(60, 0.5 * Math.max(x2 - x1, y2 - y1));
  return framed([x1 - margin, y1 - margin, x2 + margin, y2 + margin], size, aspect);
}

/** A box of a quarter of what is seen, in the middle of it. `seen` may reach beyond the image. */
export function inMiddle(seen, size) {
  const x = (between(0, seen[0], size.width) + between(0, seen[2], size.width)) / 2;
  const y = (between(0, seen[1], size.height) + between(0, seen[3], size.height)) / 2;
  const w = Math.min(width(seen), size.width) / 8;
  const h = Math.min(height(seen), size.height) / 8;
  return settled([x - w, y - h, x + w, y + h], size);
}

/** What a drag has made of a box: it began at one point and is now at another. `kind`: "draw", "move" or "resize". */
export function dragged({ kind, from, box, handle, size }, to) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  if (kind === "draw") return spanned(from, to, size);
  return kind === "move" ? moved(box, dx, dy, size) : resized(box, handle, dx, dy, size);
}

/** Pixels that lie in at least one of the boxes. */
export function unionArea(boxes) {
  const xs = [...new Set(boxes.flatMap(([x1, , x2]) => [x1, x2]))].sort((a, b) => a - b);
  return xs.slice(1).reduce((sum, x2, place) => {
    const x1 = xs[place];
    const rows = boxes.filter((box) => box[0] <= x1 && box[2] >= x2).sort((a, b) => a[1] - b[1]);
    let covered = 0;
    let reached = -Infinity;
    for (const [, y1, , y2] of rows) {
      covered += Math.max(0, y2 - Math.max(y1, reached));
      reached = Math.max(reached, y2);
    }
    return sum + (x2 - x1) * covered;
  }, 0);
}

/** The share of the image that boxes take up, from 0 to 1. */
export const shareOf = (boxes, size) => unionArea(boxes) / area([0, 0, size.width, size.height]);
