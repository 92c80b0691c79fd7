/** Two fingers on an image: what they do to it between two moments, as how much larger, about which point, and by how far. */

const middle = ([[ax, ay], [bx, by]]) => [(ax + bx) / 2, (ay + by) / 2];
const apart = ([[ax, ay], [bx, by]]) => Math.hypot(bx - ax, by - ay);

/** @param {number[][]} before the two points on the screen  @param {number[][]} after the same two, moved */
export function pinched(before, after) {
  const [was, about] = [middle(before), middle(after)];
  const factor = apart(before) > 0 && apart(after) > 0 ? apart(after) / apart(before) : 1;
  return { factor, about, shift: [about[0] - was[0], about[1] - was[1]] };
}
