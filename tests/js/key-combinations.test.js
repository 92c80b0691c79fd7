import assert from "node:assert/strict";
import test from "node:test";

import { StudioKeys } from "../../static/js/elements/studio-keys.js";
import { chordOf, keysOf } from "../../static/js/lib/key-combinations.js";

const pressed = (key, more = {}) => ({ key, target: { tagName: "DIV", closest: () => null }, ...more });
const typed = (key, more = {}) => pressed(key, { target: { tagName: "TEXTAREA", closest: (what) => (what.includes("textarea") ? {} : null) }, ...more });

test("a key is written as people read it", () => {
  const written = [
    [pressed("b"), "B"], [pressed("S", { shiftKey: true }), "Shift+S"], [pressed("Enter", { ctrlKey: true }), "Ctrl+Enter"],
    [pressed("z", { metaKey: true, shiftKey: true }), "Ctrl+Shift+Z"], [pressed("?", { shiftKey: true }), "?"],
    [pressed("+", { shiftKey: true }), "+"], [pressed(" ", { altKey: true }), "Alt+Space"], [pressed("ä"), "Ä"],
    [pressed("Shift", { shiftKey: true }), ""], [pressed("Dead"), ""],
  ];
  for (const [event, chord] of written) assert.equal(chordOf(event), chord);
});

test("D8.7: the key and what is held decide, neither Caps Lock nor the script that is typed by it", () => {
  assert.equal(chordOf(pressed("B")), "B");
  assert.equal(chordOf(pressed("b", { shiftKey: true })), "Shift+B");
  assert.equal(chordOf(pressed("и", { code: "KeyB" })), "B");
  assert.equal(chordOf(pressed("ä", { code: "Quote" })), "Ä");
});

test("D8.6: Escape is asked for from a field too", () => {
  const keys = new StudioKeys([]);
  assert.deepEqual(keys.asked(typed("Escape")), ["escape"]);
});

test("the keys of a chord are told apart, also where one of them is a plus", () => {
  assert.deepEqual(["B", "Ctrl+Shift+Z", "+", "Ctrl++"].map(keysOf), [["B"], ["Ctrl", "Shift", "Z"], ["+"], ["Ctrl", "+"]]);
});

test("a changed key does what the usual one did, which does nothing any more", () => {
  const keys = new StudioKeys([
    { name: "box", words: "a box", keys: ["N"] },
    { name: "undo", words: "undo", keys: ["Ctrl+Z"] },
    { name: "delete", words: "delete", keys: ["Delete", "Backspace"] },
  ]);
  assert.deepEqual(keys.asked(pressed("n")), ["box"]);
  assert.equal(keys.asked(pressed("b")), null);
  assert.deepEqual(keys.asked(pressed("Backspace")), ["delete"]);
  assert.deepEqual(keys.asked(typed("z", { ctrlKey: true })), ["undo"]);
  assert.equal(keys.asked(typed("n")), null);
  assert.deepEqual(keys.asked(pressed("ArrowUp", { shiftKey: true, altKey: true })), ["grow", 0, -10]);
  assert.equal(keys.asked(typed("ArrowUp")), null);
  assert.deepEqual(keys.asked(pressed("3")), ["facet", 3, 0]);
  assert.deepEqual(keys.asked(pressed("#", { shiftKey: true, code: "Digit3" })), ["facet", 3, 1]);
  assert.deepEqual(keys.asked(pressed("3", { altKey: true, code: "Digit3" })), ["facet", 3, 2]);
  assert.deepEqual(keys.rowsWith({ image: true })[0], ["N", "a box"]);
});
