import assert from "node:assert/strict";
import test from "node:test";

import { History } from "../../static/js/models/history.js";
import { Typing } from "../../static/js/models/typing.js";

const COMMANDS = new Set("bjhsvcpafgmrx");
const INTO_A_FIELD = new Set("ap");

/** What becomes of keys with `gap` ms between them, as the studio has them: {text, inField} or null. */
function typed(text, { gap = 150, held = {} } = {}) {
  let now = 0;
  const typing = new Typing(() => now);
  let inField = false;
  for (const key of text) {
    now += gap;
    const isCommand = !inField && COMMANDS.has(key.toLowerCase());
    const found = typing.press({ key, ...held }, { isCommand, inField, mark: () => "before" });
    if (found) return found;
    inField ||= isCommand && INTO_A_FIELD.has(key.toLowerCase());
  }
  return null;
}

test("D8.7: a sentence that is typed without focus is told from commands, small, with Caps Lock, in any script", () => {
  for (const [text, found] of [
    ["which colour is it", "whi"], ["HOW MANY", "HOW"], ["is it red", "is "], ["сколько чашек", "ско"], ["does it", "doe"], ["find the", "fin"],
  ]) {
    assert.deepEqual(typed(text), { text: found, mark: "before", inField: 0 }, text);
  }
});

test("D8.7: letters that a command of the sentence led into a field are counted, to be taken out again", () => {
  assert.deepEqual(typed("what"), { text: "wha", mark: "before", inField: 0 });
  assert.deepEqual(typed("rate"), null);
  assert.deepEqual(typed("read it"), { text: "rea", mark: "before", inField: 0 });
});

test("D8.7: commands stay commands: one after the other, with a pause, held, or followed by what their field takes", () => {
  for (const keys of ["jbg", "mhfg", "bb", "abc", "acategory: colour", "jared", "bacategory", "1b", "jj+g", "bg ", "h f"]) assert.equal(typed(keys), null, keys);
  assert.equal(typed("which", { gap: 900 }), null);
  assert.equal(typed("which", { held: { ctrlKey: true } }), null);
  assert.equal(typed("wwwww", { held: { repeat: true } }), null);
});

test("D8.7: what commands of a sentence changed has never been", () => {
  const history = new History("a", () => 0);
  history.change("b");
  const { mark } = history;
  history.change("c");
  history.change("d");
  history.undo();
  history.rewind(mark);
  assert.equal(history.state, "b");
  assert.equal(history.canRedo, false);
  history.undo();
  assert.equal(history.state, "a");
});
