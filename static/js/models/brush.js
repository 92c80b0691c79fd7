/**
 * A rectangle dragged over the strategy chart as ranges of coverage and concentration. Coverage runs from x = 44 (0) to
 * 418 (1); concentration from y = 238 (0.001) to 12 (1) on a logarithm; under 245 lie crops without gold, which are 0.
 */

const LEFT = 44;
const WIDTH = 374;
const FOOT = 238;
const HEIGHT = 226;
const MISSED = 245;

const shorter = (value) => Number(value.toPrecision(3));

const coverageAt = (x) => Math.min(1, Math.max(0, (x - LEFT) / WIDTH));

const concentrationAt = (y) => 10 ** (Math.min(1, Math.max(0, (FOOT - y) / HEIGHT)) * 3 - 3);

/**
 * The terms of a list, by name; "" where a side is open. Marks at the ends are spread beyond the axis, so a side at an
 * end is open.
 */
export function rangesOf([x1, y1, x2, y2]) {
  const [left, right] = [Math.min(x1, x2), Math.max(x1, x2)];
  const [top, bottom] = [Math.min(y1, y2), Math.max(y1, y2)];
  const missed = bottom > MISSED;
  return {
    coverage_above: left <= LEFT || top > MISSED ? "" : shorter(coverageAt(left)),
    coverage_upto: right >= LEFT + WIDTH || top > MISSED ? "" : shorter(coverageAt(right)),
    concentration_above: missed ? "" : shorter(concentrationAt(bottom)),
    concentration_upto: top <= FOOT - HEIGHT ? "" : top > MISSED ? 0 : shorter(concentrationAt(top)),
  };
}
