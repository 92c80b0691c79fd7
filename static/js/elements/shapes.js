import { atLeast, height, width } from "../lib/geometry.js";

const SVG = "http://www.w3.org/2000/svg";

/** One SVG element with its attributes, put into `parent`. */
export function shape(name, attributes = {}, parent = null) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent?.append(made);
  return made;
}

/** A polygon, or else the rect of a box, drawn in pixels of the image; a rect is at least `least` wide and high, to be visible. */
export function entryDrawn({ kind, points, box }, attributes, parent = null, least = 0) {
  if (kind === "polygon") return shape("polygon", { ...attributes, points: points.join(" ") }, parent);
  const rect = shape("rect", attributes, parent);
  placeRect(rect, atLeast(box, least));
  return rect;
}

/** A shape with its casing, alone in `svg`. */
export function evidenceDrawn(svg, entry) {
  svg.replaceChildren();
  for (const name of ["case", "gold"]) entryDrawn(entry, { class: name }, svg);
}

/** Put a rect where a box lies. */
export function placeRect(rect, box) {
  rect.setAttribute("x", box[0]);
  rect.setAttribute("y", box[1]);
  rect.setAttribute("width", width(box));
  rect.setAttribute("height", height(box));
}
