import assert from "node:assert/strict";
import test from "node:test";

import { addOutline, duplicateBox, growBox, labelBox, nudgeBox, nudgeCorner, removeBox, setPoints } from "../../static/js/models/box-list.js";
import { boxAround, inPlaceOf, placeOn, readPoints, settledPoints, shareOfEntries, withoutPoint, withPoint, written } from "../../static/js/models/outline.js";

const size = { width: 400, height: 300 };
const empty = { gold_boxes: [] };
const triangle = [[10, 10], [50, 10], [10, 90]];
const drawn = addOutline(empty, "polygon", triangle, size);
const [entry] = drawn.gold_boxes;

test("a polygon carries the box around it", () => {
  assert.deepEqual(entry, { kind: "polygon", points: triangle, box: [10, 10, 50, 90], label: "" });
});

test("the box around a point is the pixel that holds it", () => {
  assert.deepEqual([[[0, 0]], [[10, 10]], [[10.2, 300]]].map(boxAround), [[0, 0, 1, 1], [9, 9, 10, 10], [10, 299, 11, 300]]);
});

test("corners lie on whole pixels in the image, and never twice at the same place", () => {
  assert.deepEqual(settledPoints([[-5, 1.4], [0.2, 0.9], [500, 1], [500, 700], [0, 1]], size), [[400, 1], [400, 300], [0, 1]]);
});

test("what is no shape is not added", () => {
  assert.equal(addOutline(empty, "polygon", [[1, 1], [5, 1], [9, 1]], size), empty);
  assert.equal(addOutline(empty, "polygon", [[1, 1], [5, 9]], size), empty);
  assert.equal(setPoints(drawn, 0, [[1, 1]], size), drawn);
});

test("a polygon is moved as a whole, as far as the image lets it", () => {
  const [{ points, box }] = nudgeBox(drawn, 0, -20, 5, size).gold_boxes;
  assert.deepEqual([points, box], [[[0, 15], [40, 15], [0, 95]], [0, 15, 40, 95]]);
});

test("a polygon is stretched like its box, and a point is not", () => {
  assert.deepEqual(growBox(drawn, 0, 40, 0, size).gold_boxes[0].points, [[10, 10], [90, 10], [10, 90]]);
  const point = addOutline(empty, "point", [[7, 8]], size);
  assert.equal(growBox(point, 0, 5, 5, size), point);
  assert.deepEqual(nudgeBox(point, 0, 5, 5, size).gold_boxes[0].points, [[12, 13]]);
});

test("a copy keeps kind and label", () => {
  const { gold_boxes: both } = duplicateBox(labelBox(drawn, 0, "mug"), 0, size);
  assert.deepEqual([both[1].kind, both[1].label, both[1].points[0]], ["polygon", "mug", [22, 22]]);
  assert.equal(removeBox({ gold_boxes: both }, 0).gold_boxes.length, 1);
});

test("a shape made by key lies in the box that a key would make", () => {
  assert.deepEqual(inPlaceOf("polygon", [0, 0, 10, 20]), [[5, 0], [10, 10], [5, 20], [0, 10]]);
  assert.deepEqual(inPlaceOf("point", [0, 0, 10, 20]), [[5, 10]]);
});

test("typed corners are read as they are written", () => {
  assert.deepEqual(readPoints(written(triangle)), triangle);
  for (const bad of ["", "10", "10,x 4,5 6,7", "1,2,3 4,5 6,7"]) assert.equal(readPoints(bad), null);
});

test("the share of the image is that of the areas, overlaps once", () => {
  const half = shareOfEntries([entry], size);
  assert.ok(Math.abs(half - 1600 / 120_000) < 2e-4, half);
  const square = { box: [10, 10, 50, 90] };
  assert.ok(Math.abs(shareOfEntries([entry, square], size) - 3200 / 120_000) < 1e-6);
  assert.equal(shareOfEntries([{ kind: "point", points: [[1, 1]], box: [0, 0, 1, 1] }], size), 0);
});

test("a corner is added in the middle of a side, also of the one that closes the polygon", () => {
  assert.deepEqual(withPoint(triangle, 1), [[10, 10], [30, 10], [50, 10], [10, 90]]);
  assert.deepEqual(withPoint(triangle, 0), [[10, 10], [50, 10], [10, 90], [10, 50]]);
  assert.deepEqual([0, 1, 2].map((side) => placeOn(triangle, side)), [3, 1, 2]);
});

test("a corner is removed while three remain", () => {
  const four = setPoints(drawn, 0, withPoint(triangle, 1), size);
  assert.deepEqual(setPoints(four, 0, withoutPoint(four.gold_boxes[0].points, 1), size).gold_boxes[0].points, triangle);
  assert.equal(setPoints(drawn, 0, withoutPoint(triangle, 1), size), drawn);
});

test("a corner is moved alone, and never onto the one beside it", () => {
  assert.deepEqual(nudgeCorner(drawn, 0, 1, 10, -20, size).gold_boxes[0].points, [[10, 10], [60, 0], [10, 90]]);
  assert.equal(nudgeCorner(drawn, 0, 1, -40, 0, size), drawn);
});
