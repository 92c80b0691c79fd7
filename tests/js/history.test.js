import assert from "node:assert/strict";
import test from "node:test";

import { addBox, labelBox, nudgeBox, removeBox } from "../../static/js/models/box-list.js";
import { completed, toggleFacet } from "../../static/js/models/draft.js";
import { History } from "../../static/js/models/history.js";
import { addOption, askAs, chooseOption, moveOption, writeOption } from "../../static/js/models/options.js";
import { addDistractor, addTarget, shiftTarget } from "../../static/js/models/plan.js";
import { randomFrom } from "./random.js";

const size = { width: 100, height: 100 };

/** Every kind of change a person can make, with the kind under which typing joins. */
const EDITS = [
  [(content, n) => ({ ...content, question: `${content.question}${n}` }), "question"],
  [(content) => addOption(content, "red"), ""],
  [(content, n) => (content.options.A === undefined ? content : writeOption(content, 0, `text ${n}`)), "option 0"],
  [(content, n) => (content.options.B === undefined ? content : moveOption(content, 0, n % 3)), ""],
  [(content) => (content.options.A === undefined ? content : chooseOption(content, 0)), ""],
  [(content, n) => askAs(content, n % 2 ? "mc" : "open"), ""],
  [(content, n) => addBox(content, [n % 50, 1, 60, 9]), ""],
  [(content) => (content.gold_boxes.length ? nudgeBox(content, 0, 1, 0, size) : content), "nudge 0"],
  [(content, n) => (content.gold_boxes.length ? labelBox(content, 0, `sign ${n}`) : content), "label 0"],
  [(content) => (content.gold_boxes.length ? removeBox(content, 0) : content), ""],
  [(content, n) => toggleFacet(content, "category", `value ${n % 4}`), ""],
  [(content, n) => addTarget(content, `tool ${n % 5}`), ""],
  [(content) => (content.targets.length ? shiftTarget(content, content.targets.length - 1, -1) : content), ""],
  [(content, n) => addDistractor(content, `tool ${n % 5}`), ""],
];

test("after any edits, undoing all gives the start and redoing all the end", () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const random = randomFrom(seed);
    let now = 0;
    const start = completed({});
    const kept = structuredClone(start);
    const history = new History(start, () => now);
    for (let n = 0; n < 60; n += 1) {
      now += random() * 1500;
      const turn = random();
      if (turn < 0.1) history.undo();
      else if (turn < 0.15) history.redo();
      else {
        const [edit, kind] = EDITS[Math.floor(random() * EDITS.length)];
        history.change(edit(history.state, n), kind);
      }
    }
    while (history.canRedo) history.redo();
    const end = structuredClone(history.state);
    while (history.canUndo) history.undo();
    assert.deepEqual(history.state, kept, `seed ${seed}`);
    while (history.canRedo) history.redo();
    assert.deepEqual(history.state, end, `seed ${seed}`);
  }
});

test("typing without a pause is one step, a pause or another kind begins the next", () => {
  let now = 0;
  const history = new History("", () => now);
  const write = (text, kind, after) => {
    now += after;
    history.change(text, kind);
  };
  write("W", "question", 0);
  write("Wh", "question", 200);
  write("Why", "question", 200);
  write("Why?", "question", 1500);
  write("Why??", "option 0", 100);
  const seen = [];
  while (history.canUndo) {
    history.undo();
    seen.push(history.state);
  }
  assert.deepEqual(seen, ["Why?", "Why", ""]);
});

test("typing after an undo begins a step of its own", () => {
  const history = new History("a", () => 0);
  history.change("ab", "question");
  history.undo();
  history.change("ac", "question");
  history.undo();
  assert.equal(history.state, "a");
});

test("the same state again is no step, and beyond the ends there is nothing", () => {
  const history = new History("a");
  let told = 0;
  history.addEventListener("change", () => (told += 1));
  history.change("a");
  history.undo();
  history.redo();
  assert.equal(told, 0);
});
