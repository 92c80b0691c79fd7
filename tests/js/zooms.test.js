import assert from "node:assert/strict";
import { test } from "node:test";

import { ZoomRecorder } from "../../static/js/models/zooms.js";

/** A recorder on an image of 1000 × 500 pixels, and a clock to move. */
function recorder(more = {}) {
  const clock = { at: 0 };
  const made = new ZoomRecorder({ width: 1000, height: 500 }, { held: 0.7, most: 3, now: () => clock.at, ...more });
  return [made, (ms) => (clock.at += ms)];
}

test("a place that is held for 0.7 seconds is recorded in whole pixels inside the image", () => {
  const [zooms, wait] = recorder();
  zooms.look([-20.5, 10.2, 300.4, 200]);
  wait(700);
  assert.deepEqual(zooms.zooms, [{ box: [0, 10, 301, 200], seconds: 0.7 }]);
});

test("a place that is passed by is not", () => {
  const [zooms, wait] = recorder();
  zooms.look([0, 0, 100, 100]);
  wait(600);
  zooms.look([50, 0, 150, 100]);
  wait(2000);
  zooms.look([0, 0, 1000, 500]);
  assert.deepEqual(zooms.zooms, [{ box: [50, 0, 150, 100], seconds: 2 }]);
});

test("the same place goes on, whoever says so again", () => {
  const [zooms, wait] = recorder();
  for (let at = 0; at < 4; at++) {
    zooms.look([10, 10, 60.4, 60]);
    wait(300);
  }
  assert.deepEqual(zooms.zooms, [{ box: [10, 10, 61, 60], seconds: 1.2 }]);
});

test("the full image is no zoom, nor is what lies beside it", () => {
  const [zooms, wait] = recorder();
  for (const box of [[0, 0, 1000, 500], [2, 1, 999, 499], [1100, 0, 1200, 100], null]) {
    zooms.look(box);
    wait(5000);
  }
  assert.deepEqual(zooms.zooms, []);
});

test("a hidden page is not looked at", () => {
  const [zooms, wait] = recorder();
  zooms.look([0, 0, 100, 100]);
  wait(800);
  zooms.stop();
  wait(60_000);
  zooms.look([0, 0, 100, 100]);
  wait(900);
  assert.deepEqual(zooms.zooms.map((one) => one.seconds), [0.8, 0.9]);
});

test("of too many the longest stay, in their order", () => {
  const [zooms, wait] = recorder({ zooms: [{ box: [0, 0, 9, 9], seconds: 5 }] });
  for (const [at, ms] of [1000, 900, 3000].entries()) {
    zooms.look([at, 0, 100, 100]);
    wait(ms);
  }
  zooms.stop();
  assert.deepEqual(zooms.zooms.map((one) => one.seconds), [5, 1, 3]);
});
