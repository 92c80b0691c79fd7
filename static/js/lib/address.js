/** The part of an address after "#", as names and values: "#turn=3", "#turn=3&box=10,20,300,400". */

const values = (hash) => new URLSearchParams(hash.replace(/^#/, ""));

/** The turn that a hash names, or null. */
export function turnOf(hash) {
  const turn = values(hash).get("turn");
  return turn !== null && /^\d+$/.test(turn) ? Number(turn) : null;
}

/** The region that a hash names, in pixels of the image, or null. */
export function boxOf(hash) {
  const box = (values(hash).get("box") ?? "").split(",").map(Number);
  const whole = box.length === 4 && box.every(Number.isFinite);
  return whole && box[2] > box[0] && box[3] > box[1] ? box : null;
}

/** A turn (null: none) and a region (null: none) as a hash; "" for neither. */
export function hashOf(turn, box = null) {
  const parts = [];
  if (turn !== null) parts.push(`turn=${turn}`);
  if (box) parts.push(`box=${box.map(Math.round).join(",")}`);
  return parts.length ? `#${parts.join("&")}` : "";
}
