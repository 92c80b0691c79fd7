import assert from "node:assert/strict";
import test from "node:test";
import { fitting, soughtAt, withName } from "../../static/js/models/mention.js";

const NAMES = ["Ana Lind", "Rui Costa", "Ana"];

test("an @ at the beginning of a word begins a mention", () => {
  assert.deepEqual(soughtAt("See @ru", 7), { start: 4, sought: "ru" });
  assert.deepEqual(soughtAt("@", 1), { start: 0, sought: "" });
  assert.deepEqual(soughtAt("(@Ana L", 7), { start: 1, sought: "Ana L" });
  assert.equal(soughtAt("ana@example", 11), null);
  assert.equal(soughtAt("@ana\nnext", 9), null);
  assert.equal(soughtAt("See @ru", 3), null);
});

test("names fit by the beginning of one of their words", () => {
  assert.deepEqual(fitting(NAMES, ""), NAMES);
  assert.deepEqual(fitting(NAMES, "co"), ["Rui Costa"]);
  assert.deepEqual(fitting(NAMES, "an"), ["Ana Lind", "Ana"]);
  assert.deepEqual(fitting(NAMES, "rui costa knows"), []);
  assert.deepEqual(fitting(NAMES, "x"), []);
});

test("a name takes the place of what was typed", () => {
  assert.deepEqual(withName("See @ru please", { start: 4, sought: "ru" }, "Rui Costa"), { text: "See @Rui Costa please", caret: 15 });
});
