import assert from "node:assert/strict";
import { test } from "node:test";

import { Thresholds } from "../../static/js/models/threshold.js";

/** Ten in the population: four grounded and right up to 0.5, then none. */
const counts = Array.from({ length: 101 }, (_, step) => (step < 50 ? [4, 1, 2, 3] : [0, 0, 6, 4]));
const thresholds = new Thresholds({ counts, list: "/benchmarks/street/trajectories/?run=7" });

test("a threshold has the counts of its step", () => {
  assert.deepEqual(thresholds.at(0.49).map(({ count }) => count), [4, 1, 2, 3]);
  assert.deepEqual(thresholds.at(0.5).map(({ share }) => share), [0, 0, 0.6, 0.4]);
});

test("steps without an exact binary form are met", () => {
  const rising = new Thresholds({ counts: Array.from({ length: 101 }, (_, n) => [n, 0, 0, 100 - n]), list: "?" });
  for (let step = 0; step <= 100; step += 1) assert.equal(rising.at(step / 100)[0].count, step);
});

test("every cell opens exactly its trajectories", () => {
  const list = "/benchmarks/street/trajectories/?run=7&population=yes";
  assert.deepEqual(thresholds.at(0.3).map(({ href }) => href), [
    `${list}&ioa_above=0.30&right=yes`,
    `${list}&ioa_above=0.30&right=no`,
    `${list}&ioa_upto=0.30&right=yes`,
    `${list}&ioa_upto=0.30&right=no`,
  ]);
});

test("an empty population has no shares", () => {
  const empty = new Thresholds({ counts: Array.from({ length: 101 }, () => [0, 0, 0, 0]), list: "?" });
  assert.deepEqual(empty.at(0.5).map(({ share }) => share), [null, null, null, null]);
});
