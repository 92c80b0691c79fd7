import assert from "node:assert/strict";
import { test } from "node:test";
import { accepted, draftedCalls, holds, isEmpty } from "../../static/js/models/drafts.js";
import { labelBox, nudgeBox } from "../../static/js/models/box-list.js";
import { chainWords, readChain, writtenChain } from "../../static/js/models/chain.js";
import { Dismissed } from "../../static/js/models/dismissed.js";

const EMPTY = { question: "", answer_type: "open", options: {}, answer: [], gold_boxes: [], reference_toolchain: [], targets: [], distractors: [] };
const CALLS = [{ tool: "crop", arguments: { x: 1 }, image_in: null, image_out: null }];

test("an accepted toolchain has its source on each step, and leaves the draft unchanged", () => {
  const draft = { field: "toolchain", content: CALLS, source: "m-1" };
  const after = accepted(draft, EMPTY);
  assert.deepEqual(after.reference_toolchain, [{ ...CALLS[0], source: "m-1" }]);
  assert.equal("source" in CALLS[0], false);
  assert.equal(isEmpty("toolchain", EMPTY), true);
  assert.equal(holds(draft, EMPTY), false);
  assert.equal(holds(draft, after), true);
  assert.deepEqual(after.reference_toolchain, draftedCalls(draft));
});

test("accepted targets are no distractors any more, and accepted distractors are never targets", () => {
  const targets = { field: "targets", content: [{ tool: "Wrench", step: 1 }], source: "m-1" };
  const after = accepted(targets, { ...EMPTY, distractors: ["wrench", "hammer"] });
  assert.deepEqual(after.distractors, ["hammer"]);
  assert.equal(holds(targets, after), true);
  const distractors = { field: "distractors", content: ["wrench", "saw"], source: "m-1" };
  assert.deepEqual(accepted(distractors, after).distractors, ["saw"]);
});

test("an accepted box keeps the label of the detector", () => {
  const boxes = { field: "boxes", content: [{ box: [1, 1, 5, 5], label: "mug", score: 0.9 }], source: "owl" };
  const [box] = accepted(boxes, EMPTY, { width: 10, height: 10 }).gold_boxes;
  assert.deepEqual([box.label, box.source], ["mug", "owl"]);
});

test("an accepted polygon of a draft keeps its label and source, also when it is changed", () => {
  const points = [[0, 0], [4.4, 0], [0, 5]];
  const boxes = { field: "boxes", content: [{ box: [1, 1, 5, 5], label: "mug" }, { box: [0, 0, 4.4, 5], points, label: "cup", score: 0.5 }], source: "sam" };
  const size = { width: 10, height: 10 };
  const after = accepted(boxes, EMPTY, size);
  assert.deepEqual(after.gold_boxes.map(({ kind, label, source }) => [kind, label, source]), [[undefined, "mug", "sam"], ["polygon", "cup", "sam"]]);
  assert.deepEqual(after.gold_boxes[1].points, [[0, 0], [4, 0], [0, 5]]);
  assert.equal(holds(boxes, after), true);
  const moved = nudgeBox(after, 1, 1, 1, size);
  assert.equal(moved.gold_boxes[1].source, "sam");
  assert.equal(labelBox(moved, 1, "bowl").gold_boxes[1].source, "sam");
});

test("an accepted point of a draft is a point with its label and source", () => {
  const point = { box: [3, 4, 4, 5], points: [[4, 5]], label: "cup", score: 0.5 };
  const [found] = accepted({ field: "boxes", content: [point], source: "sam" }, EMPTY, { width: 10, height: 10 }).gold_boxes;
  assert.deepEqual(found, { box: [3, 4, 4, 5], kind: "point", points: [[4, 5]], label: "cup", source: "sam" });
});

test("the source of a step survives the text of the editor, and must be a text", () => {
  const calls = draftedCalls({ content: CALLS, source: "m-1" });
  assert.deepEqual(readChain(writtenChain(calls)).calls, calls);
  assert.notEqual(readChain('[{"tool": "crop", "source": 7}]').problem, "");
  assert.equal(chainWords(calls), "crop(x = 1)");
});

test("what was dismissed is kept for the tab, and a damaged or full storage keeps nothing", () => {
  const kept = new Map();
  const storage = { getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value) };
  new Dismissed(storage, "a").add("toolchain");
  assert.deepEqual(new Dismissed(storage, "a").fields, ["toolchain"]);
  assert.deepEqual(new Dismissed(storage, "b").fields, []);
  const full = { getItem: () => "{", setItem: () => assert.fail.call(null) };
  const broken = new Dismissed(full, "a");
  broken.add("targets");
  assert.deepEqual(broken.fields, []);
});
