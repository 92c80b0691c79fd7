import assert from "node:assert/strict";
import test from "node:test";

import { boxNote, fieldsOf, fieldsThatDiffer, inFewWords } from "../../static/js/models/difference-fields.js";
import { differenceOf } from "../../static/js/models/difference.js";

const said = (runs) => runs.map(({ kind, text }) => ({ same: text, cut: `[-${text}-]`, added: `[+${text}+]` })[kind]).join("");
const without = (runs, kind) =>
  runs
    .filter((run) => run.kind !== kind)
    .map(({ text }) => text)
    .join("");

for (const [before, after, expected] of [
  ["On which floor is Holt?", "On which floor does Dr Holt work?", "On which floor [-is -][+does Dr +]Holt[+ work+]?"],
  ["Ground floor", "2nd floor", "[-Ground-][+2nd+] floor"],
  ["", "new", "[+new+]"],
  ["old", "", "[-old-]"],
  ["the same", "the same", "the same"],
  ["one two three", "four five six", "[-one two three-][+four five six+]"],
  ["红色杯子", "蓝色杯子", "[-红色-][+蓝色+]杯子"],
  ["", "", ""],
]) {
  test(`"${before}" and "${after}" differ in words`, () => assert.equal(said(differenceOf(before, after)), expected));
}

test("both texts can be read from the difference, whatever they are", () => {
  const words = ["a", "b", " ", "  ", "\n", "é", "👩‍🔬", ",", "word"];
  let state = 7;
  const next = (most) => (state = (state * 1103515245 + 12345) % 2147483648) % most;
  for (let turn = 0; turn < 300; turn += 1) {
    const [before, after] = [0, 1].map(() => Array.from({ length: next(12) }, () => words[next(words.length)]).join(""));
    const runs = differenceOf(before, after);
    assert.equal(without(runs, "added"), before);
    assert.equal(without(runs, "cut"), after);
  }
});

test("texts of any length are compared at once", () => {
  const [before, after] = ["a ", "b "].map((word) => `start ${word.repeat(20_000)}end`);
  const runs = differenceOf(before, after);
  assert.equal(without(runs, "added"), before);
  assert.equal(without(runs, "cut"), after);
});

const content = {
  question: "On which floor?",
  options: { A: "1st", B: "2nd" },
  answer: ["B"],
  gold_boxes: [{ box: [0, 0, 100, 100], label: "" }],
  reference_toolchain: [{ tool: "Crop", arguments: { x: 1 } }],
  targets: [],
  distractors: [],
  ordered: null,
  facets: { tier: ["hard"] },
};

test("equal revisions differ in nothing", () => {
  const { changed, same } = fieldsThatDiffer(content, structuredClone(content));
  assert.deepEqual(changed, []);
  assert.deepEqual(same, ["Box G1", "Question", "Option A", "Option B", "Answer", "Facet tier", "Toolchain"]);
});

test("changed, new and vanished fields are named, boxes with how they lie", () => {
  const after = {
    ...content,
    options: { A: "1st", B: "3rd", C: "4th" },
    gold_boxes: [{ box: [10, 10, 60, 60] }, { box: [0, 0, 5, 5] }],
    reference_toolchain: [],
    targets: [{ tool: "OCR", step: 1 }],
  };
  const { changed } = fieldsThatDiffer(content, after);
  assert.deepEqual(
    changed.map(({ name, runs }) => `${name}: ${said(runs).replaceAll("\u00a0", " ")}`),
    [
      "Box G1: [-100 × 100 px-][+50 × 50 px+]",
      "Box G2: [+5 × 5 px at 0, 0+]",
      "Option B: [-2nd-][+3rd+]",
      "Option C: [+4th+]",
      "Answer: B, [-2nd-][+3rd+]",
      "Tool plan: [+step 1 OCR+]",
      "Toolchain: [-Crop(x=1)-]",
    ],
  );
});

for (const [before, after, words] of [
  [[0, 0, 10, 10], [2, 2, 7, 7], "The new box is inside the old one. Area −75%, IoU 0.25"],
  [[2, 2, 7, 7], [0, 0, 10, 10], "The new box contains the old one. Area +300%, IoU 0.25"],
  [[0, 0, 10, 10], [5, 0, 15, 10], "IoU 0.33"],
  [[0, 0, 10, 10], [20, 0, 30, 10], "The new box doesn't overlap the old one."],
]) {
  test(`${before} and ${after}: ${words}`, () => assert.equal(boxNote(before, after).replaceAll("\u00a0", " "), words));
}

test("fields that stay are named in few words", () => {
  const names = ["Box G1", "Option A", "Option C", "Answer", "Facet tier", "Tool plan"];
  assert.equal(inFewWords(names), "Box G1, options A C, answer, facet tier, tool plan");
  assert.equal(inFewWords([]), "");
});

test("a box says whose suggestion it was adopted from", () => {
  const boxes = [{ box: [0, 0, 9, 5], label: "plate", source: "Model A" }, { box: [1, 1, 4, 4], label: "" }];
  assert.deepEqual(fieldsOf({ gold_boxes: boxes }).map(({ text }) => text), ["9 × 5\u00a0px at 0, 0 plate adopted from Model A", "3 × 3\u00a0px at 1, 1"]);
});

test("a polygon with many corners is in words by its size, place and area", () => {
  const round = (r) => Array.from({ length: 40 }, (_, n) => [Math.round(100 + r * Math.cos(n / 6.37)), Math.round(100 + 50 * Math.sin(n / 6.37))]);
  const polygon = { kind: "polygon", points: round(50), box: [50, 50, 150, 150], label: "" };
  const [{ runs }] = fieldsThatDiffer({ gold_boxes: [polygon] }, { gold_boxes: [{ ...polygon, points: round(60) }] }).changed;
  const text = runs.map((run) => run.text).join("");
  assert.match(text, /polygon with 40 corners, /);
  assert.match(text, /area 78\d\d/);
  assert.ok(text.length < 200, text);
});

test("a polygon that changed is drawn as it was and as it is, and a point is not", () => {
  const polygon = { kind: "polygon", points: [[0, 0], [9, 0], [0, 9]], box: [0, 0, 9, 9], label: "" };
  const other = { ...polygon, points: [[0, 0], [9, 0], [9, 9]] };
  const changed = (before, after) => fieldsThatDiffer({ gold_boxes: [before] }, { gold_boxes: [after] }).changed[0];
  assert.deepEqual(changed(polygon, other).shapes, [polygon, other]);
  const point = { kind: "point", points: [[3, 3]], box: [2, 2, 3, 3], label: "" };
  assert.equal(changed(point, { ...point, points: [[4, 3]], box: [3, 2, 4, 3] }).shapes, undefined);
});
