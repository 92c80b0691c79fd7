/**
 * A rectangle dragged over the strategy chart as ranges of coverage and concentration, fractions as on its axes. Coverage
 * runs from x = 96 (0) to 418 (1); concentration from y = 238 (0.001) to 12 (1) on a logarithm; crops without gold lie
 * in a strip up to x = 60, at any height.
 */

const LEFT = 96;
const WIDTH = 322;
const FOOT = 238;
const HEIGHT = 226;
const STRIP = 60;

const shorter = (value) => Number(value.toPrecision(3));

const coverageAt = (x) => Math.min(1, Math.max(0, (x - LEFT) / WIDTH));

const concentrationAt = (y) => 10 ** (Math.min(1, Math.max(0, (FOOT - y) / HEIGHT)) * 3 - 3);

/**
 * The terms of a list, by name; "" where a side is open. A side beyond an end of an axis is open; one between the strip
 * and the axis leaves the strip out.
 */
export function rangesOf([x1, y1, x2, y2]) {
  const [left, right] = [Math.min(x1, x2), Math.max(x1, x2)];
  const [top, bottom] = [Math.min(y1, y2), Math.max(y1, y2)];
  if (right <= STRIP) return { coverage_above: "", coverage_upto: 0, concentration_above: "", concentration_upto: 0 };
  return {
    coverage_above: left <= STRIP ? "" : shorter(coverageAt(left)),
    coverage_upto: right >= LEFT + WIDTH ? "" : shorter(coverageAt(right)),
    concentration_above: bottom >= FOOT ? "" : shorter(concentrationAt(bottom)),
    concentration_upto: top <= FOOT - HEIGHT ? "" : shorter(concentrationAt(top)),
  };
}
