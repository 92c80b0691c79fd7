import assert from "node:assert/strict";
import test from "node:test";

import { HANDLES, dragged, inMiddle, moved, resized, settled, shareOf, spanned, unionArea } from "../../static/js/models/box.js";
import { addBox, addProposed, duplicateBox, growBox, labelBox, measureBox, notAdopted, nudgeBox, removeBox, setBox } from "../../static/js/models/box-list.js";
import { pinched } from "../../static/js/models/pinch.js";
import { Viewport } from "../../static/js/models/viewport.js";
import { randomFrom } from "./random.js";

const size = { width: 400, height: 300 };
const inside = ([x1, y1, x2, y2]) => x1 >= 0 && y1 >= 0 && x2 <= size.width && y2 <= size.height && x2 > x1 && y2 > y1;

test("a box is drawn from any corner and stops at the edge of the picture", () => {
  for (const [from, to] of [[[10, 20], [50, 60]], [[50, 60], [10, 20]], [[10, 60], [50, 20]]]) {
    assert.deepEqual(spanned(from, to, size), [10, 20, 50, 60]);
  }
  assert.deepEqual(spanned([390, 290], [900, 900], size), [390, 290, 400, 300]);
});

test("a box that is moved keeps its size, also at the edge", () => {
  assert.deepEqual(moved([10, 10, 30, 40], -50, 5, size), [0, 15, 20, 45]);
  assert.deepEqual(moved([10, 10, 30, 40], 1000, 1000, size), [380, 270, 400, 300]);
});

test("each handle shifts its own edges", () => {
  const found = HANDLES.map((handle) => resized([100, 100, 200, 200], handle, 5, 7, size).join());
  assert.deepEqual(found, [
    "105,107,200,200", "100,107,200,200", "100,107,205,200", "100,100,205,200",
    "100,100,205,207", "100,100,200,207", "105,100,200,207", "105,100,200,200",
  ]);
});

test("an edge taken over to the other side makes the box go on there", () => {
  assert.deepEqual(resized([100, 100, 120, 120], "w", 50, 0, size), [120, 100, 150, 120]);
});

test("after any drag the settled box is whole, not empty and in the picture", () => {
  const random = randomFrom(7);
  for (let n = 0; n < 2000; n += 1) {
    const [x, y] = [random() * 500 - 50, random() * 400 - 50];
    const kind = ["draw", "move", "resize"][Math.floor(random() * 3)];
    const drag = { kind, from: [x, y], box: [20, 30, 60, 80], handle: HANDLES[Math.floor(random() * 8)], size };
    const box = settled(dragged(drag, [x + random() * 900 - 450, y + random() * 900 - 450]), size);
    assert.ok(inside(box) && box.every(Number.isInteger), `${kind} ${box}`);
  }
});

test("a corner on the screen is exact to one pixel at every zoom and turn", () => {
  for (const scale of [0.07, 0.25, 1 / 3, 1, 2.7, 8]) {
    for (const turns of [0, 1, 2, 3]) {
      const viewport = new Viewport({ x: 13.3, y: -41.7, scale, turns });
      for (const box of [[0, 0, 1, 1], [17, 23, 118, 229], [399, 299, 400, 300]]) {
        assert.deepEqual(settled(viewport.toPicture(viewport.toScreen(box)), size), box);
      }
    }
  }
});

test("a turned picture is found from two of its corners", () => {
  const viewport = Viewport.between({ x: 300, y: 0 }, { x: 0, y: 400 }, 400, 1);
  assert.deepEqual(viewport.toScreen([0, 0, 400, 300]), [0, 0, 300, 400]);
  assert.deepEqual(viewport.toScreen([0, 0, 10, 20]), [280, 0, 300, 10]);
});

test("a box made by key lies in the middle of what is seen of the picture", () => {
  assert.deepEqual(inMiddle([100, 100, 180, 180], size), [130, 130, 150, 150]);
  assert.ok(inside(inMiddle([-900, -900, 4000, 4000], size)));
  assert.ok(inside(inMiddle([399.5, 299.5, 400, 300], size)));
});

test("pixels in several boxes count once", () => {
  assert.equal(unionArea([]), 0);
  assert.equal(unionArea([[0, 0, 10, 10], [5, 5, 15, 15]]), 175);
  assert.equal(unionArea([[0, 0, 10, 10], [2, 2, 4, 4], [0, 0, 10, 10]]), 100);
  assert.equal(shareOf([[0, 0, 40, 30]], size), 0.01);
});

test("boxes are added, named, doubled and taken away without changing what was", () => {
  const empty = Object.freeze({ question: "Why?", gold_boxes: Object.freeze([]) });
  const one = addBox(empty, [10, 10, 20, 20]);
  const two = duplicateBox(labelBox(one, 0, "sign"), 0, size);
  assert.deepEqual(two.gold_boxes, [
    { box: [10, 10, 20, 20], label: "sign" },
    { box: [22, 22, 32, 32], label: "sign" },
  ]);
  assert.equal(removeBox(two, 0).gold_boxes.length, 1);
  assert.equal(empty.gold_boxes.length, 0);
  assert.equal(one.gold_boxes[0].label, "");
});

test("keys shift and size a box within the picture, down to one pixel", () => {
  const content = addBox({ gold_boxes: [] }, [0, 0, 3, 3]);
  assert.deepEqual(nudgeBox(content, 0, -10, 1, size).gold_boxes[0].box, [0, 1, 3, 4]);
  assert.deepEqual(growBox(content, 0, -10, 10, size).gold_boxes[0].box, [0, 0, 1, 13]);
});

test("numbers set a place or a size", () => {
  const content = addBox({ gold_boxes: [] }, [10, 10, 30, 30]);
  const box = (name, value) => measureBox(content, 0, name, value, size).gold_boxes[0].box;
  assert.deepEqual(box("x", 50), [50, 10, 70, 30]);
  assert.deepEqual(box("y", 9999), [10, 280, 30, 300]);
  assert.deepEqual(box("w", 0), [10, 10, 11, 30]);
  assert.deepEqual(box("h", 9999), [10, 10, 30, 300]);
});

test("an adopted suggestion is a box on whole pixels that keeps its source when it is moved", () => {
  const suggestion = { box: [10.4, 20.6, 30.2, 999], source: "Model A", note: "1 of 1 runs here" };
  const adopted = addProposed({ gold_boxes: [] }, suggestion, size);
  assert.deepEqual(adopted.gold_boxes, [{ box: [10, 21, 30, 300], label: "", source: "Model A" }]);
  assert.equal(setBox(adopted, 0, [1, 2, 3, 4]).gold_boxes[0].source, "Model A");
});

test("an adopted polygon keeps its corners, and its source when it is moved", () => {
  const suggestion = { box: [1, 1, 9, 9], points: [[1, 1], [9, 1], [1, 9.2]], source: "v1", note: "" };
  const adopted = addProposed({ gold_boxes: [] }, suggestion, size);
  assert.deepEqual(adopted.gold_boxes, [{ box: [1, 1, 9, 9], kind: "polygon", points: [[1, 1], [9, 1], [1, 9]], label: "", source: "v1" }]);
  assert.equal(nudgeBox(adopted, 0, 1, 1, size).gold_boxes[0].source, "v1");
});

test("a suggestion is left until a box of its source is there", () => {
  const all = [{ source: "A", box: [0, 0, 5, 5] }, { source: "B", box: [0, 0, 5, 5] }];
  const content = addBox(addProposed({ gold_boxes: [] }, all[1], size), [0, 0, 5, 5]);
  assert.deepEqual(notAdopted(all, content), [all[0]]);
  assert.deepEqual(notAdopted(all, removeBox(content, 0)), all);
});

test("D8.4: arrows move and size a box as the screen shows it, however the view is turned", () => {
  const start = { gold_boxes: [{ box: [100, 100, 160, 140], label: "" }] };
  for (const turns of [0, 1, 2, 3]) {
    const viewport = new Viewport({ x: 700, y: 600, scale: 0.5, turns });
    const drawn = (content) => viewport.toScreen(content.gold_boxes[0].box);
    const [left, top, right, bottom] = drawn(start);
    for (const [dx, dy] of [[10, 0], [0, 10], [-10, 0], [0, -10]]) {
      const by = viewport.along(dx, dy);
      const moved = drawn(nudgeBox(start, 0, ...by, size));
      assert.deepEqual(moved, [left + dx / 2, top + dy / 2, right + dx / 2, bottom + dy / 2], `move ${dx} ${dy}, ${turns} turns`);
      const grown = drawn(growBox(start, 0, ...by, size, turns));
      assert.deepEqual(grown, [left, top, right + dx / 2, bottom + dy / 2], `size ${dx} ${dy}, ${turns} turns`);
    }
    const least = growBox(start, 0, ...viewport.along(-500, -500), size, turns).gold_boxes[0].box;
    assert.deepEqual([least[2] - least[0], least[3] - least[1]], [1, 1], `${turns} turns`);
  }
});

test("D8.3: two fingers magnify about the middle between them, and move the picture with it", () => {
  assert.deepEqual(pinched([[100, 100], [200, 100]], [[90, 110], [290, 110]]), { factor: 2, about: [190, 110], shift: [40, 10] });
  assert.deepEqual(pinched([[5, 5], [5, 5]], [[5, 5], [9, 5]]), { factor: 1, about: [7, 5], shift: [2, 0] });
});
