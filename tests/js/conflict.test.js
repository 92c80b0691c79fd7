import assert from "node:assert/strict";
import test from "node:test";

import { seenAround } from "../../static/js/models/box.js";
import { conflictRows, sumOf } from "../../static/js/models/conflict.js";
import { completed } from "../../static/js/models/draft.js";
import { merged } from "../../static/js/models/merge.js";
import { randomFrom } from "./random.js";

const box = (...four) => ({ box: four, label: "" });
const boxes = (...all) => ({ gold_boxes: all });
const [A, B, C] = [box(0, 0, 9, 9), box(20, 0, 29, 9), box(40, 0, 49, 9)];
const asked = (question) => ({ question });
const choice = (options, answer, unanswerable = null) => ({ answer_type: "mc", options, answer, unanswerable });

test("boxes of both sides stand together, and what one side took away is gone", () => {
  const both = (base, mine, theirs) => merged("Evidence boxes", boxes(...base), boxes(...mine), boxes(...theirs))?.gold_boxes;
  assert.deepEqual(both([], [A], [B]), [A, B]);
  assert.deepEqual(both([A], [A, B], [C]), [B, C]);
  assert.deepEqual(both([A], [B], [C]), [B, C]);
  assert.equal(both([A], [A], [A, B]), undefined);
});

test("of any two changes to boxes nothing that was added is lost and nothing that was taken away comes back", () => {
  const random = randomFrom(5);
  const all = Array.from({ length: 6 }, (_, n) => box(10 * n, 0, 10 * n + 5, 5));
  for (let n = 0; n < 500; n += 1) {
    const [base, mine, theirs] = [0, 0, 0].map(() => all.filter(() => random() < 0.5));
    const both = merged("Evidence boxes", boxes(...base), boxes(...mine), boxes(...theirs))?.gold_boxes;
    if (!both) continue;
    for (const one of all) {
      const [was, here, there] = [base, mine, theirs].map((list) => list.includes(one));
      assert.equal(both.includes(one), was ? here && there : here || there);
    }
  }
});

test("words changed in two places of a question stand together, in one place they do not", () => {
  const both = (base, mine, theirs) => merged("Question", asked(base), asked(mine), asked(theirs))?.question;
  assert.equal(both("On which floor is Holt?", "On what floor is Holt?", "On which floor is Dr Holt?"), "On what floor is Dr Holt?");
  assert.equal(both("On which floor is Holt?", "On which floor is the Holt?", "On what floor is Holt?"), "On what floor is the Holt?");
  assert.equal(both("Which floor?", "What floor?", "Whose floor?"), undefined);
  assert.equal(both("", "Mine?", "Theirs?"), undefined);
});

test("options are put together letter by letter, as long as the answer is one of them", () => {
  const base = choice({ A: "red", B: "blue" }, ["A"]);
  const both = (mine, theirs) => merged("Options and answer", base, mine, theirs);
  assert.deepEqual(both(choice({ A: "red!", B: "blue" }, ["A"]), choice({ A: "red", B: "navy" }, ["B"])), choice({ A: "red!", B: "navy" }, ["B"]));
  assert.equal(both(choice({ A: "rose", B: "blue" }, ["A"]), choice({ A: "ruby", B: "blue" }, ["A"])), null);
  assert.equal(both(choice({ A: "red" }, ["A"]), choice({ A: "red", B: "blue" }, ["B"])), null);
  assert.equal(both(choice({ A: "rose", B: "blue" }, ["A"]), choice({ A: "red", B: "blue" }, ["A"], "too dark")), null);
});

test("what one side alone changed is not offered as both", () => {
  const base = completed({ answer_type: "open" });
  const changes = [
    { question: "Why?" }, { answer: ["green"] }, { unanswerable: "too dark" }, { gold_boxes: [A] }, { ordered: true }, { facets: { tier: [1] } },
    { targets: [{ tool: "saw", step: 1 }] }, { reference_toolchain: [{ tool: "canny", arguments: {} }] },
  ];
  for (const change of changes) {
    const [row, ...others] = conflictRows(base, base, { ...base, ...change });
    assert.deepEqual([row.side, row.both, others], ["theirs", null, []], JSON.stringify(change));
  }
});

test("a question that cannot be answered says why", () => {
  const base = completed({ answer_type: "open", answer: ["green"] });
  const [row] = conflictRows(base, { ...base, unanswerable: "too dark" }, base);
  const words = row.runs.mine.filter(({ kind }) => kind !== "cut").map(({ text }) => text);
  assert.equal(words.join(""), "cannot be answered: too dark");
});

test("a tool stands in a plan once, or the two plans do not go together", () => {
  const plan = (targets, distractors = []) => ({ targets: targets.map(([tool, step]) => ({ tool, step })), distractors, ordered: null });
  const both = (mine, theirs) => merged("Tool plan", plan([["tape", 1]]), mine, theirs);
  assert.deepEqual(both(plan([["tape", 1], ["saw", 2]]), plan([["tape", 1]], ["pen"])), plan([["tape", 1], ["saw", 2]], ["pen"]));
  assert.equal(both(plan([["tape", 1], ["saw", 2]]), plan([["tape", 1]], ["saw"])), null);
  assert.equal(both(plan([["tape", 1], ["saw", 2]]), plan([["tape", 1], ["saw", 3]])), null);
});

test("facets of both sides are kept value by value", () => {
  const facets = (given) => ({ facets: given });
  const both = merged("Facets", facets({ tier: [1] }), facets({ tier: [1, 2], scene: ["desk"] }), facets({}));
  assert.deepEqual(both, facets({ scene: ["desk"], tier: [2] }));
});

test("a row begins with both where both changed and go together, else with who changed it", () => {
  const base = completed({ question: "Why?", answer: ["x"] });
  const rows = conflictRows(base, { ...base, question: "Who?", gold_boxes: [A] }, { ...base, question: "What?", gold_boxes: [B], answer: ["y"] });
  assert.deepEqual(rows.map(({ name, side }) => [name, side]), [["Question", "mine"], ["Options and answer", "theirs"], ["Evidence boxes", "both"]]);
  assert.deepEqual(rows[0].runs.mine, [{ kind: "cut", text: "Why" }, { kind: "added", text: "Who" }, { kind: "same", text: "?" }]);
  assert.equal(rows[0].runs.both, null);
  assert.equal(sumOf(rows), "1 of 3 from this browser, 1 of 3 from the server, 1 of 3 from both.");
});

test("a box that both sides moved is not chosen twice, and can be", () => {
  const base = completed({ gold_boxes: [A] });
  const [row] = conflictRows(base, { ...base, gold_boxes: [B] }, { ...base, gold_boxes: [C] });
  assert.equal(row.side, "mine");
  assert.deepEqual(row.both.gold_boxes, [B, C]);
});

test("the part of the picture that is shown holds every box, in the shape of the canvas", () => {
  const random = randomFrom(3);
  for (let n = 0; n < 200; n += 1) {
    const some = Array.from({ length: 3 }, () => [random() * 3000, random() * 2000, 3000 + random() * 800, 2000 + random() * 100]);
    const [x1, y1, x2, y2] = seenAround(some, 5 / 3, { width: 3840, height: 2160 });
    assert.ok(Math.abs((x2 - x1) / (y2 - y1) - 5 / 3) < 1e-9);
    for (const one of some) assert.ok(one[0] >= x1 - 1e-6 && one[1] >= y1 - 1e-6 && one[2] <= x2 + 1e-6 && one[3] <= y2 + 1e-6);
  }
});
