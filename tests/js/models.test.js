import assert from "node:assert/strict";
import test from "node:test";

import { Cursor } from "../../static/js/models/cursor.js";
import { marksOf, tipOf, turnsUnder } from "../../static/js/models/marks.js";
import { TurnSelection } from "../../static/js/models/turns.js";
import { fitted, Viewport } from "../../static/js/models/viewport.js";

const changes = (selection) => {
  const seen = [];
  selection.addEventListener("change", () => seen.push(selection.current));
  return seen;
};

test("turns are gone through in their order and stop at the ends", () => {
  const selection = new TurnSelection([1, 3, 4]);
  const seen = changes(selection);
  selection.next();
  selection.next();
  selection.next();
  selection.next();
  selection.previous();
  assert.deepEqual(seen, [1, 3, 4, 3]);
});

test("going back from nowhere begins at the last turn", () => {
  const selection = new TurnSelection([1, 2]);
  selection.previous();
  assert.equal(selection.current, 2);
});

test("an unknown turn is not taken, from the address or later", () => {
  const selection = new TurnSelection([1, 2], 9);
  const seen = changes(selection);
  assert.equal(selection.current, null);
  selection.select(7);
  assert.deepEqual(seen, []);
});

test("a trajectory without turns has nowhere to go", () => {
  const selection = new TurnSelection([]);
  selection.next();
  assert.equal(selection.current, null);
});

test("gold is shown until it is put away, and each change is said once", () => {
  const selection = new TurnSelection([1], 1);
  const seen = changes(selection);
  assert.equal(selection.showsGold, true);
  selection.toggleGold();
  selection.select(1);
  assert.equal(selection.showsGold, false);
  assert.equal(seen.length, 1);
});

test("a box lies on the screen where the picture lies", () => {
  const viewport = Viewport.between({ x: 100, y: 50 }, { x: 1060, y: 590 }, 3840);
  assert.equal(viewport.scale, 0.25);
  assert.deepEqual(viewport.toScreen([0, 0, 3840, 2160]), [100, 50, 1060, 590]);
  assert.deepEqual(viewport.drawn([400, 400, 800, 600]), [200, 150, 300, 200]);
});

test("a box too small to be seen is drawn at six pixels around its centre", () => {
  const viewport = new Viewport({ x: 0, y: 0, scale: 0.1 });
  assert.deepEqual(viewport.drawn([1000, 1000, 1010, 1020]), [97.5, 98, 103.5, 104]);
});

test("marks are drawn with gold on top, and only where there is a box", () => {
  const marks = marksOf({
    gold: [{ box: [1, 1, 2, 2] }, { box: [5, 5, 5, 9] }],
    turns: [
      { turn: 1, executed: [0, 0, 9, 9], requested: [0, 0, 9, 9] },
      { turn: 2, executed: null, requested: [3, 3, 12, 12] },
      { turn: 3, executed: [1, 1, 4, 4], requested: [2, 2, 5, 5] },
    ],
  });
  assert.deepEqual(
    marks.map(({ kind, turn, tag }) => [kind, turn, tag]),
    [
      ["asked", 2, ""],
      ["asked", 3, ""],
      ["crop", 1, "1"],
      ["crop", 3, "3"],
      ["gold", null, "G1"],
    ],
  );
});

test("a sample without trajectory has its gold alone", () => {
  assert.equal(marksOf({ gold: [{ box: [0, 0, 3, 3], label: "plate" }] })[0].tag, "plate");
  assert.deepEqual(marksOf({}), []);
});

test("crops of several runs have a letter instead of a turn", () => {
  const crop = { turn: 2, label: "B", tool: "Model B", executed: [0, 0, 9, 9] };
  assert.equal(marksOf({ turns: [crop] })[0].tag, "B");
  assert.deepEqual(tipOf(crop), { title: "B", tool: "Model B", text: "" });
});

test("of crops that lie over each other at a point, the smallest comes first", () => {
  const turns = [[0, 0, 9, 9], [2, 2, 4, 4], null, [5, 5, 9, 9]].map((executed, place) => ({ turn: place + 1, executed }));
  assert.deepEqual(turnsUnder(turns, [3, 3]).map(({ turn }) => turn), [2, 1]);
  assert.deepEqual(turnsUnder(turns, [20, 3]), []);
});

test("the tip says both overlaps, and n/a where one is undefined", () => {
  const tip = tipOf({ turn: 3, tool: "zoom", coverage: 1, concentration: null });
  assert.deepEqual(tip, { title: "Turn 3", tool: "zoom", text: "coverage 1.00 · concentration n/a" });
  assert.match(tipOf({ turn: 1, coverage: 0.5, concentration: 0.25, iou: 0.2 }).text, /IoU 0\.20$/);
});

test("a cursor starts nowhere, stays inside and follows a shorter list", () => {
  const cursor = new Cursor(3);
  assert.equal(cursor.place, -1);
  assert.deepEqual([cursor.next(), cursor.next(), cursor.next(), cursor.next()], [0, 1, 2, 2]);
  cursor.resize(2);
  assert.equal(cursor.place, 1);
  assert.equal(cursor.previous(), 0);
  assert.equal(cursor.previous(), 0);
  assert.equal(new Cursor(0).next(), -1);
});

test("a whole image is beside what would be over it, on the side where it is larger", () => {
  const wide = { width: 400, height: 100 };
  const screen = { width: 808, height: 600 };
  assert.deepEqual(fitted(wide, screen, null), { scale: 2.02, middle: [404, 300] });
  assert.deepEqual(fitted(wide, screen, [0, 0, 100, 150]), { scale: 2.02, middle: [404, 300] }, "it is not under it");
  assert.deepEqual(fitted(wide, screen, [0, 0, 100, 500]), { scale: 1.75, middle: [458, 300] });
  assert.deepEqual(fitted(wide, screen, [0, 0, 700, 232]), { scale: 2.02, middle: [404, 420] });
  assert.deepEqual(fitted({ width: 100, height: 100 }, { width: 300, height: 900 }, [0, 0, 300, 392]), { scale: 3, middle: [150, 650] });
});
