import assert from "node:assert/strict";
import test from "node:test";

import { isTyping, singleKey } from "../../static/js/lib/keys.js";

const pressed = (key, more = {}) => ({ key, target: { tagName: "DIV" }, ...more });

test("a single key is told in lower case", () => {
  assert.equal(singleKey(pressed("J")), "j");
  assert.equal(singleKey(pressed("[")), "[");
  assert.equal(singleKey(pressed("Enter")), "Enter");
});

test("keys with a modifier and keys already used are not ours", () => {
  for (const more of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }, { defaultPrevented: true }, { isComposing: true }]) {
    assert.equal(singleKey(pressed("j", more)), "");
  }
});

test("single keys are off while typing", () => {
  const typing = [
    { tagName: "INPUT", type: "text" },
    { tagName: "INPUT", type: "search" },
    { tagName: "TEXTAREA" },
    { tagName: "SELECT" },
    { tagName: "P", isContentEditable: true },
  ];
  for (const target of typing) assert.equal(singleKey(pressed("j", { target })), "");
  for (const target of [{ tagName: "INPUT", type: "checkbox" }, { tagName: "BUTTON" }, null]) assert.equal(isTyping(target), false);
});
