import assert from "node:assert/strict";
import { test } from "node:test";

import { boxOf, hashOf, turnOf } from "../../static/js/lib/address.js";
import { rangesOf } from "../../static/js/models/brush.js";

test("a rectangle is the same ranges whichever way it is dragged", () => {
  const ranges = { coverage_above: 0.25, coverage_upto: 0.5, concentration_above: 0.01, concentration_upto: 0.1 };
  assert.deepEqual(rangesOf([176.5, 162.667, 257, 87.333]), ranges);
  assert.deepEqual(rangesOf([257, 87.333, 176.5, 162.667]), ranges);
});

test("a side beyond an end of an axis is open", () => {
  const open = { coverage_above: "", coverage_upto: "", concentration_above: "", concentration_upto: "" };
  assert.deepEqual(rangesOf([10, 8, 425, 260]), open);
});

test("between the strip and the axis the strip is left out, and within it there is no gold (D1.4)", () => {
  assert.equal(rangesOf([70, 8, 425, 260]).coverage_above, 0);
  assert.deepEqual(rangesOf([20, 40, 50, 90]), {
    coverage_above: "", coverage_upto: 0, concentration_above: "", concentration_upto: 0,
  });
});

test("a turn and a region are named by an address, and nonsense by none", () => {
  assert.equal(hashOf(3, [1.4, 2, 30.6, 40]), "#turn=3&box=1,2,31,40");
  assert.deepEqual([hashOf(null), hashOf(2), turnOf("#box=1,2,3,4"), turnOf("#turn=7&box=1,2,3,4")], ["", "#turn=2", null, 7]);
  assert.deepEqual(boxOf("#turn=7&box=1,2,3,4"), [1, 2, 3, 4]);
  for (const wrong of ["", "#turn=1", "#box=1,2,3", "#box=3,2,1,4", "#box=a,b,c,d"]) assert.equal(boxOf(wrong), null);
});
