import assert from "node:assert/strict";
import test from "node:test";
import { Clicks } from "../../static/js/models/clicks.js";

const SIZE = { width: 100, height: 80 };
const EMPTY = { gold_boxes: [] };
const BOX = { id: 7, box: [9.6, 10, 30.2, 40], points: null, label: "mug", score: 0.9, source: "finder 8" };
const POLYGON = { id: 8, box: [0, 0, 40, 40], points: [[0, 0], [40, 0], [0, 40]], label: "cup", score: null, source: "finder 8" };

test("an accepted box is one of the person's own, in whole pixels, and keeps its source", () => {
  const clicks = new Clicks();
  clicks.add(BOX);
  assert.equal(clicks.open, BOX);
  const next = clicks.accept(EMPTY, SIZE);
  assert.deepEqual(next.gold_boxes, [{ box: [10, 10, 30, 40], label: "mug", source: "finder 8" }]);
  assert.equal(clicks.open, null);
  assert.deepEqual(clicks.decisions, { 7: "accepted" });
  assert.deepEqual(EMPTY.gold_boxes, [], "the old content is as it was");
});

test("an accepted polygon has its points and its label, and keeps its source", () => {
  const clicks = new Clicks();
  clicks.add(POLYGON);
  const [shape] = clicks.accept(EMPTY, SIZE).gold_boxes;
  assert.equal(shape.kind, "polygon");
  assert.deepEqual(shape.points, POLYGON.points);
  assert.deepEqual([shape.label, shape.source], ["cup", "finder 8"]);
});

test("undoing the acceptance opens the shape again, and later boxes do not", () => {
  const clicks = new Clicks();
  clicks.add(BOX);
  const next = clicks.accept(EMPTY, SIZE);
  clicks.follow({ gold_boxes: [...next.gold_boxes, { box: [1, 1, 5, 5], label: "" }] });
  assert.deepEqual(clicks.decisions, { 7: "accepted" });
  clicks.follow(EMPTY);
  assert.equal(clicks.open, BOX);
  assert.deepEqual(clicks.decisions, { 7: "left" });
});

test("a dismissed shape and one that another click followed stay what they are", () => {
  const clicks = new Clicks();
  clicks.add(BOX);
  clicks.add(POLYGON);
  assert.equal(clicks.open, POLYGON);
  clicks.dismiss();
  assert.equal(clicks.open, null);
  assert.deepEqual(clicks.decisions, { 7: "left", 8: "dismissed" });
});
