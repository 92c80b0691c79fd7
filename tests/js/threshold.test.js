import assert from "node:assert/strict";
import { test } from "node:test";

import { rate, Thresholds } from "../../static/js/models/threshold.js";

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

test("intervals, the right answers on either side and the rank follow the threshold", () => {
  const intervals = counts.map(([n]) => (n ? [[0.1, 0.7], [0, 0.4], [0.1, 0.5], [0.2, 0.6]] : [null, null, null, null]));
  const ranks = counts.map(([n]) => (n ? 2 : 1));
  const told = new Thresholds({ counts, intervals, ranks, list: "?" });
  assert.deepEqual(told.at(0.2)[0].interval, [0.1, 0.7]);
  assert.equal(told.at(0.9)[0].interval, null);
  assert.deepEqual(told.accuracyWhen(0.2).grounded, { share: 0.8, range: null });
  assert.deepEqual(told.accuracyWhen(0.2).ungrounded, { share: 0.4, range: null });
  assert.deepEqual(told.accuracyWhen(0.9).grounded, { share: null, range: null });
  assert.deepEqual([told.rank(0.2), told.rank(0.9), thresholds.rank(0.2)], [2, 1, null]);
});

test("the words of the difference are those of its step", () => {
  const differences = counts.map(([n]) => (n ? ["+40.0 pp", "6.00"] : ["n/a, as none is grounded", "n/a"]));
  const told = new Thresholds({ counts, differences, list: "?" });
  assert.deepEqual([told.difference(0.2)[0], told.difference(0.9)[0]], ["+40.0 pp", "n/a, as none is grounded"]);
  assert.equal(thresholds.difference(0.2), null);
});

test("undecided answers leave a range open on either side of the line", () => {
  const open = counts.map(([n]) => (n ? [1, 0] : [0, 2]));
  const told = new Thresholds({ counts, open, list: "?" });
  assert.deepEqual(told.at(0.2).map(({ range }) => range), [[0.4, 0.5], [0, 0.1], [0.2, 0.2], [0.3, 0.3]]);
  assert.deepEqual(told.at(0.9).map(({ range }) => range), [[0, 0], [0, 0], [0.6, 0.8], [0.2, 0.4]]);
  assert.deepEqual(told.accuracyWhen(0.2), {
    grounded: { share: 0.8, range: [0.8, 1] },
    ungrounded: { share: 0.4, range: [0.4, 0.4] },
  });
});

test("a provisional run has a range in place of the point, and no point where none is known", () => {
  const [open, closed, unknown] = [[0.4, 0.5], [0.4, 0.4], null].map((range) => ({ share: 0.4, range }));
  assert.deepEqual([open, closed, unknown].map((one) => rate(one)), ["40.0 (40.0–50.0)", "40.0", "40.0"]);
  assert.deepEqual([open, closed, unknown].map((one) => rate(one, true)), ["40.0–50.0", "40.0", "n/a"]);
  assert.equal(rate({ share: null, range: null }), "n/a");
});

test("an empty population has no shares", () => {
  const empty = new Thresholds({ counts: Array.from({ length: 101 }, () => [0, 0, 0, 0]), list: "?" });
  assert.deepEqual(empty.at(0.5).map(({ share }) => share), [null, null, null, null]);
});
