import assert from "node:assert/strict";
import test from "node:test";

import { callWords, readChain, writtenChain } from "../../static/js/models/chain.js";

const CROP = { tool: "Crop", arguments: { x: 10, y: 20 }, image_in: "original", image_out: "a" };
const BOTH = { tool: "Blend", arguments: {}, image_in: ["original", "a"], image_out: null };

test("what is written reads as the same calls", () => {
  for (const calls of [[], [CROP], [CROP, BOTH], [{ tool: "Résumé “x”", arguments: { deep: { list: [1, null, "é"] } }, image_in: null, image_out: null }]]) {
    assert.deepEqual(readChain(writtenChain(calls)), { calls, problem: "" });
  }
});

test("a call is a line, and what it does not say is left out", () => {
  assert.equal(writtenChain([BOTH]), '[\n  {"tool":"Blend","image_in":["original","a"]}\n]');
  assert.deepEqual(readChain('[{"tool": "Crop"}]').calls, [{ tool: "Crop", arguments: {}, image_in: null, image_out: null }]);
});

test("what is no toolchain says what is wrong and where", () => {
  const wrong = [
    ["[{", /^Invalid JSON: /],
    ['{"tool": "Crop"}', /^A toolchain must be a list/],
    ['[{"tool": "Crop"}, 3]', /^Call 2 must be an object/],
    ['[{"tool": ""}]', /^Call 1 has no tool name\.$/],
    ['[{"tool": "Crop", "args": {}}]', /^Call 1 has the unknown key “args”. Allowed: tool, arguments, image_in, image_out\.$/],
    ['[{"tool": "Crop", "arguments": [1]}]', /^Call 1 needs an object as arguments\.$/],
    ['[{"tool": "Crop", "image_in": []}]', /^Call 1 needs a name or a list of names as image_in/],
    ['[{"tool": "Crop", "image_in": ["a", 3]}]', /^Call 1 needs a name or a list of names as image_in/],
    ['[{"tool": "Crop", "image_out": 3}]', /^Call 1 needs a name as image_out/],
    ['[{"tool": "Crop", "image_out": "original"}]', /^Call 1 can't name its result original/],
    [JSON.stringify(Array(101).fill({ tool: "Crop" })), /^The toolchain has 101 calls \(limit: 100\)\.$/],
  ];
  for (const [text, problem] of wrong) {
    const read = readChain(text);
    assert.equal(read.calls, null);
    assert.match(read.problem, problem);
  }
});

test("a call is told in words", () => {
  assert.deepEqual(callWords(CROP), { given: ["x = 10", "y = 20"], way: "original → a" });
  assert.deepEqual(callWords({ ...BOTH, arguments: { mode: "otsu", box: [1, 2] } }), {
    given: ["mode = otsu", "box = [1,2]"],
    way: "original and a → new image",
  });
});
