import assert from "node:assert/strict";
import test from "node:test";

import { ActiveTime } from "../../static/js/models/active-time.js";
import { randomFrom } from "./random.js";

const MINUTE = 60_000;
const seconds = (ago) => ago.reduce((sum, [from, to]) => sum + from - to, 0);

test("slots of activity within a minute are one span", () => {
  const time = new ActiveTime();
  for (const at of [1000, 20_000, 70_000]) time.act(at);
  assert.deepEqual(time.take(80_000).ago, [[80, 5]]);
});

test("a minute without activity is idle", () => {
  const time = new ActiveTime();
  time.act(0);
  time.act(65_000);
  assert.deepEqual(time.take(100_000).ago, [[100, 95], [35, 30]]);
});

test("a hidden page is idle at once", () => {
  const time = new ActiveTime();
  time.act(0);
  time.hide(2000);
  time.act(20_000);
  assert.deepEqual(time.take(30_000).ago, [[30, 28], [10, 5]]);
});

test("what is left of the last slot is not reported before it is over", () => {
  const time = new ActiveTime();
  time.act(61_000);
  assert.deepEqual(time.take(62_000).ago, [[2, 0]]);
  assert.ok(time.isEmpty);
});

test("activity soon after a report goes on from it", () => {
  const time = new ActiveTime();
  time.act(0);
  assert.equal(seconds(time.take(4000).ago), 4);
  time.act(40_000);
  assert.deepEqual(time.take(45_000).ago, [[41, 0]]);
});

test("what did not arrive is reported again", () => {
  const time = new ActiveTime();
  time.act(0);
  const { taken } = time.take(5000);
  time.act(10_000);
  time.restore(taken);
  assert.deepEqual(time.take(20_000).ago, [[20, 5]]);
});

test("thirty minutes of activity, in any rhythm, with idle time between, are recorded as thirty minutes", () => {
  const draw = randomFrom(7);
  const time = new ActiveTime();
  let sum = 0;
  let now = 0;
  for (const [activity, idle] of [[10, 12], [15, 8], [5, 0]]) {
    const end = now + activity * MINUTE;
    for (; now < end; now += 500 + draw() * 20_000) {
      time.act(now);
      if (draw() < 0.2) sum += seconds(time.take(now + 100).ago);
    }
    time.act(end);
    sum += seconds(time.take(end + 100).ago);
    now = end + idle * MINUTE;
  }
  assert.ok(Math.abs(sum - 1800) <= 20, `${sum} s`);
});
