import assert from "node:assert/strict";
import test from "node:test";

import { endWords, markWords } from "../../static/js/models/chain-end.js";
import { answersInWords } from "../../static/js/models/options.js";

test("D8.11: the measurement stands beside the answer", () => {
  const measured = [["total_components", 4], ["area", 2.4711]];
  assert.equal(endWords({ measured, agrees: false }, ["two"]), "The last step measures total components 4, area 2.47. The answer is “two”.");
  assert.equal(endWords({ measured, agrees: true }, ["four", "4"]), "The last step measures total components 4, area 2.47. This matches the answer, “four” or “4”.");
  assert.equal(endWords({ measured: [], agrees: null }, ["red"]), "The last step measures nothing. The answer is “red”; compare them.");
  assert.equal(endWords({ measured, agrees: null }, []), "The last step measures total components 4, area 2.47. The sample has no answer yet.");
  assert.equal(endWords(null, ["two"]), "");
});

test("D8.11: the mark says whether it was compared or confirmed", () => {
  const mark = { by: "Ana", kind: "compared", answer: ["four"], measured: [["total_components", 4]], reason: "" };
  assert.equal(markWords(mark, "today"), "Verified by Ana on today. It replays, and the last step measures the answer: total components 4, “four”.");
  assert.equal(
    markWords({ ...mark, kind: "confirmed", reason: "One is hidden." }, "today"),
    "Verified by Ana on today. It replays, and the last step shows the answer, “four”. Reason: One is hidden.",
  );
  assert.equal(markWords({ ...mark, kind: "confirmed", answer: [] }, "today"), "Verified by Ana on today. It replays, and the last step shows the answer.");
});

test("the answers in words are the texts of right options, or the accepted texts", () => {
  assert.deepEqual(answersInWords({ answer_type: "mc", options: { A: "red", B: " two " }, answer: ["B"] }), ["two"]);
  assert.deepEqual(answersInWords({ answer_type: "open", options: { A: "red" }, answer: ["A", " "] }), ["A"]);
});
