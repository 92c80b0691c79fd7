/** How numbers are written; the same words as webapp/common/wording.py. */

export const NOT_AVAILABLE = "n/a";
const GAP = "\u00a0";

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

/** A share from 0 to 1 as it appears in the tip of an image: 0.75. */
export const share = (value) => (isNumber(value) ? value.toFixed(2) : NOT_AVAILABLE);

/** A magnification: 0.385 as "39%". */
export const magnification = (value) => (isNumber(value) ? `${Math.round(100 * value)}%` : NOT_AVAILABLE);

/** Bytes with a unit of 1000: 8400000 as "8.4 MB". */
export function fileSize(count) {
  if (!isNumber(count)) return NOT_AVAILABLE;
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = count;
  while (value >= 999.5 && units.length > 1) {
    value /= 1000;
    units.shift();
  }
  return `${value.toFixed(units[0] === "B" || value >= 99.5 ? 0 : 1)}${GAP}${units[0]}`;
}
