/** Rectangles as [x1, y1, x2, y2], in pixels of the original image or of the screen. */

/** Pixels on screen: a smaller box is drawn at this size around its center. */
export const SMALLEST_MARK = 6;

export const width = ([x1, , x2]) => x2 - x1;
export const height = ([, y1, , y2]) => y2 - y1;
export const area = (box) => Math.max(0, width(box)) * Math.max(0, height(box));

/** The part that two boxes share, or null. */
export function intersection(a, b) {
  const box = [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])];
  return box[2] > box[0] && box[3] > box[1] ? box : null;
}

/** A box at least `least` wide and high, around the same center. */
export function atLeast(box, least = SMALLEST_MARK) {
  const w = Math.max(width(box), least);
  const h = Math.max(height(box), least);
  const x = (box[0] + box[2] - w) / 2;
  const y = (box[1] + box[3] - h) / 2;
  return [x, y, x + w, y + h];
}

/** The box with `share` of its longer side added on each side. */
export function withMargin(box, share) {
  const by = share * Math.max(width(box), height(box));
  return [box[0] - by, box[1] - by, box[2] + by, box[3] + by];
}

/**
 * The part of an image to show for a box: as wide to as high as `aspect`, the box in its middle unless that would show
 * what is beside the image, and never more than the full image.
 */
export function framed(box, size, aspect) {
  let across = Math.max(width(box), height(box) * aspect);
  across = Math.min(across, Math.max(size.width, size.height * aspect));
  const down = across / aspect;
  const start = (from, to, length, most) => (length >= most ? (most - length) / 2 : Math.min(Math.max(0, (from + to - length) / 2), most - length));
  const [x, y] = [start(box[0], box[2], across, size.width), start(box[1], box[3], down, size.height)];
  return [x, y, x + across, y + down];
}

/** Whether these are four finite numbers with something between them. */
export const isBox = (box) => Array.isArray(box) && box.length === 4 && box.every(Number.isFinite) && area(box) > 0;
