import assert from "node:assert/strict";
import { test } from "node:test";

import { RangePick } from "../../static/js/models/range-pick.js";

test("a plain choice concerns its own place", () => {
  const pick = new RangePick();
  assert.deepEqual(pick.places(4, false), [4]);
  assert.deepEqual(pick.places(2, false), [2]);
});

test("a range goes from the last choice up to here, either way, and on from there", () => {
  const pick = new RangePick();
  pick.places(2, false);
  assert.deepEqual(pick.places(5, true), [2, 3, 4, 5]);
  assert.deepEqual(pick.places(3, true), [3, 4, 5]);
});

test("a range without a choice before it is one place", () => {
  assert.deepEqual(new RangePick().places(3, true), [3]);
});
