import assert from "node:assert/strict";
import test from "node:test";

import { endWords, markWords, markedWords } from "../../static/js/models/chain-end.js";
import { answersInWords } from "../../static/js/models/options.js";

test("D8.11: the measurement stands beside the answer", () => {
  const measured = [["total_components", 4], ["area", 2.4711]];
  const end = { measured, observed: "4", image: true };
  assert.equal(endWords({ ...end, agrees: false }, ["two"]), "Measured: 4 · Gold: “two” · does not match");
  assert.equal(endWords({ ...end, agrees: true }, ["four", "4"]), "Measured: 4 · Gold: “four” or “4” · matches");
  assert.equal(
    endWords({ measured: [], agrees: null, observed: "", image: true }, ["red"]),
    "The last step measures nothing. Another person must answer the question from the last image.",
  );
  assert.equal(
    endWords({ measured: [], agrees: null, observed: "", image: false }, ["red"]),
    "The last step measures nothing. This can't be compared with the answer.",
  );
  assert.equal(endWords({ ...end, agrees: null }, []), "The last step measures total components 4, area 2.47. The sample has no answer yet.");
  assert.equal(endWords(null, ["two"]), "");
});

test("D8.11: the mark says how it was verified", () => {
  const mark = { by: "Ana", how: "measured", answer: ["four"], observed: "4", reason: "", shows: true };
  assert.equal(markWords(mark, "today"), "Verified by Ana on today. It replays, and the last step measures the answer: 4, “four”.");
  assert.equal(
    markWords({ ...mark, how: "blind", observed: "four" }, "today"),
    "Verified by Ana on today. It replays, and a person answered “four” from the last image alone.",
  );
  assert.equal(
    markWords({ ...mark, how: "seen", reason: "One is hidden." }, "today"),
    "Verified by Ana on today. It replays, and the last step shows the answer, “four”. Reason: One is hidden.",
  );
  assert.equal(markWords({ ...mark, how: "seen", answer: [] }, "today"), "Verified by Ana on today. It replays, and the last step shows the answer.");
});

test("a mark that shows another end says why", () => {
  const other = { by: "Rui", how: "blind", answer: ["two"], observed: "A", measured: "", shows: false };
  assert.equal(markWords(other, "today"), "Not verified: Rui answered “A” from the last image alone on today.");
  assert.equal(markedWords(other, "today"), "answered otherwise by Rui");
  const contradicted = { ...other, observed: "B", measured: "4" };
  assert.equal(
    markWords(contradicted, "today"),
    "Not verified: the last step measures 4. Rui gave the gold answer from the last image alone on today.",
  );
  assert.equal(markedWords(contradicted, "today"), "the last step measures 4");
});

test("the answers in words are the texts of right options, or the accepted texts", () => {
  assert.deepEqual(answersInWords({ answer_type: "mc", options: { A: "red", B: " two " }, answer: ["B"] }), ["two"]);
  assert.deepEqual(answersInWords({ answer_type: "open", options: { A: "red" }, answer: ["A", " "] }), ["A"]);
});
