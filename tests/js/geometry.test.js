import assert from "node:assert/strict";
import test from "node:test";

import { area, atLeast, framed, intersection, isBox, withMargin } from "../../static/js/lib/geometry.js";

test("two boxes share what lies in both", () => {
  assert.deepEqual(intersection([0, 0, 10, 10], [5, 6, 20, 20]), [5, 6, 10, 10]);
  assert.equal(intersection([0, 0, 10, 10], [10, 0, 20, 10]), null);
});

test("a tiny box grows around its centre, a large one stays", () => {
  assert.deepEqual(atLeast([10, 10, 11, 12], 6), [7.5, 8, 13.5, 14]);
  assert.deepEqual(atLeast([10, 10, 110, 60], 6), [10, 10, 110, 60]);
});

test("a margin is a share of the longer side", () => {
  assert.deepEqual(withMargin([10, 10, 30, 20], 0.5), [0, 0, 40, 30]);
});

test("a box is framed in its middle, at an edge with what is there, and never beyond the whole picture", () => {
  const size = { width: 600, height: 300 };
  assert.deepEqual(framed([290, 140, 310, 160], size, 2), [280, 140, 320, 160]);
  assert.deepEqual(framed([0, 0, 20, 20], size, 2), [0, 0, 40, 20]);
  assert.deepEqual(framed([580, 290, 600, 300], size, 1), [580, 280, 600, 300]);
  assert.deepEqual(framed([-900, -900, 900, 900], size, 1), [0, -150, 600, 450]);
});

test("a reversed box has no area and is no box", () => {
  assert.equal(area([10, 10, 5, 20]), 0);
  for (const bad of [null, [1, 2, 3], [0, 0, NaN, 4], [5, 5, 5, 9], "0,0,1,1"]) assert.equal(isBox(bad), false);
  assert.equal(isBox([0, 0, 1, 1]), true);
});
