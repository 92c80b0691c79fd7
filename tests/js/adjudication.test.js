import assert from "node:assert/strict";
import { test } from "node:test";
import { answering, choices, chosen, lacksBoxes, sameAs, take, takeGroup, wholeOf, words } from "../../static/js/models/adjudication.js";

const content = (answer, boxes, question = "Which mug?") => ({
  question, answer_type: "mc", options: { A: "black", B: "white" }, answer: [answer],
  gold_boxes: boxes.map((box) => ({ box, label: "mug", source: "" })), facets: { category: ["Color"] },
  reference_toolchain: [], targets: [], distractors: [], ordered: null,
});
const ann = [
  { letter: "A", content: content("B", [[0, 0, 10, 10]]) },
  { letter: "B", content: content("A", [[0, 0, 12, 10], [20, 20, 25, 25]], "Which cup?") },
];
const groups = [
  { members: { A: [0, 0, 10, 10], B: [0, 0, 12, 10] }, combined: { median: [0, 0, 11, 10], union: [0, 0, 12, 10], intersection: [0, 0, 10, 10] } },
  { members: { B: [20, 20, 25, 25] }, combined: { median: [20, 20, 25, 25], union: [20, 20, 25, 25] } },
];

test("a field is taken from one annotation, and an answer comes with its question", () => {
  const gold = take(ann[0].content, "question", ann[1]);
  assert.deepEqual([gold.question, gold.answer, gold.gold_boxes.length], ["Which cup?", ["A"], 1]);
  assert.deepEqual(take(ann[0].content, "answer", ann[1]).question, "Which mug?");
});

test("the sources of a field are the annotations that say the same", () => {
  assert.deepEqual(sameAs(ann[0].content, "facets", ann), ["A", "B"]);
  assert.deepEqual(sameAs(ann[0].content, "answer", ann), ["A"]);
});

test("the box of a group changes, keeps its label, and can be left out and taken again", () => {
  const start = { ...ann[0].content, gold_boxes: [{ box: [0, 0, 11, 10], label: "mug", source: "" }] };
  assert.equal(chosen(start, groups[0]), "median");
  const union = takeGroup(start, groups, 0, "union");
  assert.deepEqual(union.gold_boxes, [{ box: [0, 0, 12, 10], label: "mug", source: "" }]);
  assert.equal(chosen(union, groups[0]), "B");
  const two = takeGroup(union, groups, 1, "B");
  assert.deepEqual(two.gold_boxes.map(({ box }) => box), [[0, 0, 12, 10], [20, 20, 25, 25]]);
  const second = takeGroup(two, groups, 0, "none");
  assert.equal(chosen(second, groups[0]), "none");
  assert.deepEqual(takeGroup(second, groups, 0, "A").gold_boxes.map(({ box }) => box), [[0, 0, 10, 10], [20, 20, 25, 25]]);
});

test("a box that was edited belongs to no group and stays", () => {
  const edited = { ...ann[0].content, gold_boxes: [{ box: [1, 1, 9, 9], label: "", source: "" }] };
  assert.equal(chosen(edited, groups[0]), "none");
  assert.equal(takeGroup(edited, groups, 0, "median").gold_boxes.length, 2);
});

test("a content that equals one annotation says so, whatever the order of its keys", () => {
  const { question, ...rest } = ann[1].content;
  assert.deepEqual(wholeOf({ ...rest, question }, ann), ["B"]);
  assert.deepEqual(wholeOf(take(ann[0].content, "answer", ann[1]), ann), []);
});

test("each field has short words", () => {
  assert.equal(words(ann[0].content, "answer"), "B white");
  assert.equal(words(ann[0].content, "facets"), "category: Color");
});

test("boxes that are equal are one choice with all its names", () => {
  assert.deepEqual(choices(groups[0]).map(({ letters, ways }) => [...letters, ...ways].join(" ")), ["A intersection", "B union", "median", ""]);
});

test("gold is made only of annotations that answer the question", () => {
  const cannot = { letter: "C", content: { ...content("A", []), answer: [], unanswerable: "Hidden." } };
  const answered = ann.map((one) => ({ ...one, content: { ...one.content, unanswerable: null } }));
  assert.deepEqual(answering([...answered, cannot]).map(({ letter }) => letter), ["A", "B"]);
});

test("a box is missing where the task asks for more, unless a plan goes without", () => {
  const none = content("A", []);
  const plan = { ...none, targets: [{ tool: "saw", step: 1 }] };
  assert.deepEqual([lacksBoxes(none, 1), lacksBoxes(none, 0), lacksBoxes(plan, 1)], [true, false, false]);
  assert.deepEqual([lacksBoxes(ann[0].content, 1), lacksBoxes(ann[0].content, 2)], [false, true]);
});
