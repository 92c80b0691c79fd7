import assert from "node:assert/strict";
import test from "node:test";

import { alike, completed, differences, mixed, same, toggleFacet } from "../../static/js/models/draft.js";
import {
  acceptLines, addOption, askAs, chooseOption, moveOption, pasteOptions, pastedLines, removeOption, withoutEmpty, withoutLast,
  writeOption,
} from "../../static/js/models/options.js";
import { addDistractor, addTarget, intoOwnStep, intoStep, isEither, markEither, removeTarget, setLikeness, shiftTarget, stepsOf } from "../../static/js/models/plan.js";
import { LastAsked } from "../../static/js/models/last-asked.js";
import { firstTiles, levelSize, levelWithin, tilesIn } from "../../static/js/lib/tiles.js";

const choice = completed({ options: { A: "red", B: "green", C: "blue" }, answer: ["B"] });

test("the answer stays with its text when options are moved or taken away", () => {
  assert.deepEqual(moveOption(choice, 1, 0), { ...choice, options: { A: "green", B: "red", C: "blue" }, answer: ["A"] });
  assert.deepEqual(removeOption(choice, 0), { ...choice, options: { A: "green", B: "blue" }, answer: ["A"] });
  assert.deepEqual(removeOption(choice, 1).answer, []);
  assert.equal(moveOption(choice, 2, 9), choice);
});

test("options are written, added up to Z and chosen one at a time", () => {
  assert.equal(writeOption(choice, 2, "cyan").options.C, "cyan");
  assert.deepEqual(withoutLast(addOption(addOption(choice))), choice);
  assert.equal(withoutLast(choice), choice);
  assert.deepEqual(chooseOption(choice, 2).answer, ["C"]);
  let many = choice;
  for (let n = 0; n < 40; n += 1) many = addOption(many, `option ${n}`);
  assert.equal(Object.keys(many.options).at(-1), "Z");
});

test("a pasted list loses its letters and bullets, one line stays text", () => {
  const texts = (text) => pastedLines(text).map((line) => line.text);
  assert.deepEqual(texts("A. red\n(b) green\r\n\nC: blue\nA cup"), ["red", "green", "blue", "A cup"]);
  assert.deepEqual(texts("* red\n* green"), ["red", "green"]);
  assert.equal(pastedLines("A. red"), null);
  const pasted = pasteOptions(choice, 1, pastedLines("x\ny\nz"));
  assert.deepEqual([pasted.options, pasted.answer], [{ A: "red", B: "x", C: "y", D: "z" }, ["B"]]);
});

test("a star before an option makes it the answer, written or pasted", () => {
  const written = writeOption(choice, 2, "* cyan");
  assert.deepEqual([written.options.C, written.answer], ["cyan", ["C"]]);
  assert.equal(writeOption(written, 2, "*cyan").options.C, "*cyan");
  for (const text of ["A. x\n*B. y", "x\n* y", "(a) x\n(b) *y"]) {
    const pasted = pasteOptions(choice, 0, pastedLines(text));
    assert.deepEqual([pasted.options, pasted.answer], [{ A: "x", B: "y", C: "blue" }, ["B"]]);
  }
  assert.deepEqual(pastedLines("*x\n*y\nz").map(({ right }) => right), [false, false, false]);
});

test("D8.15: another way to ask keeps the answer, there and back", () => {
  const open = askAs(choice, "open");
  const right = choice.options[choice.answer[0]];
  assert.deepEqual([open.answer, open.options], [[right], choice.options]);
  assert.equal(askAs(choice, "mc"), choice);
  assert.deepEqual(askAs(open, "mc"), choice);
  assert.deepEqual(askAs(completed({ answer_type: "open" }), "mc").options, { A: "", B: "" });
  assert.deepEqual(acceptLines(open, "one\n1").answer, ["one", "1"]);
  assert.deepEqual(acceptLines(open, "").answer, []);
  const written = completed({ answer_type: "open", answer: ["two", "2"] });
  const asked = askAs(written, "mc");
  assert.deepEqual([asked.options, asked.answer], [{ A: "two", B: "" }, ["A"]]);
  assert.deepEqual(askAs(asked, "open", ["two", "2"]).answer, ["two", "2"]);
  assert.deepEqual(askAs(writeOption(asked, 0, "three"), "open", ["two", "2"]).answer, ["three"]);
  const another = askAs({ ...open, answer: ["violet"] }, "mc");
  assert.deepEqual([Object.values(another.options), another.answer], [[...Object.values(choice.options), "violet"], ["D"]]);
});

test("D8.15: Backspace takes an empty option away; two stay", () => {
  const three = addOption(choice, "");
  assert.deepEqual(withoutEmpty(three, 3), choice);
  assert.equal(withoutEmpty(three, 0), three);
  const two = completed({ answer_type: "mc", options: { A: "", B: "" } });
  assert.equal(withoutEmpty(two, 1), two);
});

const plan = completed({ targets: [{ tool: "tape", step: 1 }, { tool: "level", step: 1 }, { tool: "saw", step: 2 }], distractors: ["pliers"] });
const said = (content) => stepsOf(content).map((tools) => tools.map(({ tool }) => tool).join("+")).join(" ");

test("targets move through every step, shared and of their own", () => {
  assert.equal(said(plan), "tape+level saw");
  assert.equal(said(shiftTarget(plan, 1, -1)), "level tape saw");
  assert.equal(said(shiftTarget(plan, 1, 1)), "tape level saw");
  assert.equal(said(shiftTarget(plan, 2, -1)), "tape+level+saw");
  assert.equal(shiftTarget(plan, 2, 1), plan);
  assert.equal(said(intoStep(plan, 0, 1)), "level saw+tape");
  assert.equal(said(intoOwnStep(plan, 2, 0)), "saw tape+level");
});

test("steps are numbered from 1 without gaps after every change", () => {
  const sparse = completed({ targets: [{ tool: "saw", step: 7 }, { tool: "tape", step: 3 }] });
  for (const content of [addTarget(sparse, "level"), removeTarget(plan, 2), shiftTarget(sparse, 0, -1), addDistractor(plan, "saw")]) {
    const steps = [...new Set(content.targets.map(({ step }) => step))];
    assert.deepEqual(steps, steps.map((_, place) => place + 1));
  }
});

test("a tool is a target or a distractor, never both", () => {
  assert.deepEqual(addTarget(plan, "pliers").distractors, []);
  assert.equal(said(addDistractor(plan, "tape")), "level saw");
  assert.equal(addDistractor(plan, "pliers"), plan);
  assert.equal(addTarget(plan, "saw"), plan);
});

test("one of the targets of a step is enough until they part", () => {
  const either = markEither(plan, 0, true);
  assert.deepEqual(either.targets.map((target) => target.either ?? null), [1, 1, null]);
  assert.equal(isEither(stepsOf(either)[0]), true);
  assert.deepEqual(markEither(either, 0, false).targets, plan.targets);
  assert.deepEqual(shiftTarget(either, 0, -1).targets.map((target) => target.either ?? null), [null, null, null]);
  assert.equal(isEither(stepsOf(removeTarget(either, 2))[0]), true);
});

test("the likeness of a distractor goes with it", () => {
  const alike = setLikeness(plan, "pliers", "visual");
  assert.deepEqual(alike.likeness, { pliers: "visual" });
  assert.deepEqual(addTarget(alike, "pliers").likeness, {});
  assert.deepEqual(setLikeness(alike, "pliers", "").likeness, {});
});

test("facet values go on and off, alone or beside others", () => {
  const one = toggleFacet(completed({}), "category", "sign");
  assert.deepEqual(toggleFacet(one, "category", "door").facets, { category: ["sign", "door"] });
  assert.deepEqual(toggleFacet(one, "category", "door", true).facets, { category: ["door"] });
  assert.deepEqual(toggleFacet(one, "category", "sign").facets, {});
});

test("two versions differ in rows, and the side that changed a row is proposed", () => {
  const mine = { ...choice, question: "Mine?" };
  const theirs = { ...choice, answer: ["C"] };
  const rows = differences(choice, mine, theirs);
  assert.deepEqual(rows.map(({ name, side }) => [name, side]), [["Question", "mine"], ["Options and answer", "theirs"]]);
  assert.deepEqual(mixed(theirs, rows), { ...choice, question: "Mine?", answer: ["C"] });
  assert.deepEqual(alike(mine, theirs), ["Evidence boxes", "Reference toolchain", "Tool plan", "Facets"]);
});

test("the order of keys makes no difference", () => {
  assert.ok(same({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 }));
  assert.ok(!same({ a: [1, 2] }, { a: [2, 1] }));
});

test("the model's eye is the largest level within its budget", () => {
  const level = levelWithin(3840, 2160, 1024);
  assert.deepEqual(levelSize(3840, 2160, level), { width: 960, height: 540 });
  assert.deepEqual(levelSize(801, 600, levelWithin(801, 600, 4096)), { width: 801, height: 600 });
});

test("the tiles of a box are those it touches", () => {
  const found = tilesIn([500, 0, 1024, 10], { width: 1200, height: 900 }, 512).map(({ column, row }) => `${column}_${row}`);
  assert.deepEqual(found, ["0_0", "1_0"]);
  assert.deepEqual(tilesIn([-50, -50, 9999, 9999], { width: 600, height: 500 }, 512).length, 2);
});

test("what is drawn first of a picture are the levels up to the one that fills the room", () => {
  const image = { width: 7680, height: 4320, tile_size: 512, tiles: "/t/{level}/{column}_{row}.jpg", thumbnail: "/thumb.jpg" };
  const found = firstTiles(image, { width: 1040, height: 856 });
  const levels = [...new Set(found.slice(1).map((address) => Number(address.split("/")[2])))];
  assert.equal(found[0], "/thumb.jpg");
  assert.deepEqual(levels, [8, 9, 10, 11]);
  assert.equal(found.filter((address) => address.startsWith("/t/11/")).length, 4 * 3);
  assert.deepEqual(firstTiles({ ...image, width: 40, height: 30 }, { width: 1040, height: 856 }).slice(1), ["/t/6/0_0.jpg"]);
});

test("a sample that says nothing yet is asked as the last one was, without a storage as the server has it", () => {
  const kept = new Map();
  const storage = { getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value) };
  const BOTH = ["mc", "open"];
  const blank = completed({ answer_type: "open" });
  const asked = new LastAsked(storage, "kitchen of 7");
  assert.equal(asked.begun(blank, BOTH), blank);
  asked.keep({ ...choice, facets: { tier: [1], scene: ["taken back"] } });
  asked.keep({ ...choice, facets: { tier: [1] } });
  const next = new LastAsked(storage, "kitchen of 7");
  assert.deepEqual(next.begun(blank, BOTH).options, { A: "", B: "" });
  assert.deepEqual(next.begun(blank, ["open"]).options, {});
  assert.deepEqual(new LastAsked(storage, "kitchen of 9").begun({ ...blank, answer_type: "mc" }, ["mc"]).options, { A: "", B: "" });
  assert.equal(next.begun({ ...blank, question: "Why?" }, BOTH).answer_type, "open");
  next.keep({ ...choice, facets: { tier: [2, 1] } });
  const known = new LastAsked(storage, "kitchen of 7").known({ category: ["sign"], tier: [3] });
  assert.deepEqual(known, { category: ["sign"], tier: ["3", "1", "2"] });
  assert.equal(new LastAsked(storage, "kitchen of 8").begun(blank, BOTH), blank);
  const broken = { getItem: () => { throw new Error("forbidden"); }, setItem: () => { throw new Error("full"); } };
  new LastAsked(broken, "kitchen").keep(choice);
  assert.equal(new LastAsked(broken, "kitchen").begun(blank, BOTH), blank);
});
