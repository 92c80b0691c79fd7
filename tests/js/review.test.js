import assert from "node:assert/strict";
import test from "node:test";

import { BlindAnswer, Stopwatch } from "../../static/js/models/review-blind.js";
import { around, lensArea } from "../../static/js/models/review-places.js";
import { Review } from "../../static/js/models/review.js";

test("nothing is sent before a decision", () => assert.equal(new Review().begin(), null));

test("returning needs a comment and discarding a reason or a comment", () => {
  const review = new Review();
  review.choose("return");
  assert.equal(review.missing.field, "comment");
  review.toggle("typo");
  assert.equal(review.begin(), null);
  review.choose("discard");
  assert.equal(review.missing, null);
  review.toggle("typo");
  assert.equal(review.missing.field, "comment");
  review.write("  ");
  assert.equal(review.begin(), null);
});

test("a decision is sent once, and again only after it failed", () => {
  const review = new Review();
  review.choose("return");
  review.toggle("ambiguous_box");
  review.write(" Too large. ");
  const body = { decision: "return", reasons: ["ambiguous_box"], comment: "Too large." };
  assert.deepEqual(review.begin(), body);
  assert.equal(review.begin(), null);
  review.choose("accept");
  assert.equal(review.decision, "return");
  review.failed("The server does not answer.");
  assert.equal(review.trouble, "The server does not answer.");
  assert.deepEqual(review.begin(), body);
});

test("only a fix carries content", () => {
  const review = new Review();
  review.choose("fix_and_accept");
  assert.deepEqual(review.begin({ question: "?" }).content, { question: "?" });
  const plain = new Review();
  plain.choose("accept");
  assert.equal("content" in plain.begin({ question: "?" }), false);
});

test("what was typed is taken up again", () => {
  const review = new Review({ reasons: ["typo"], comment: "Almost" });
  assert.deepEqual(review.kept, { reasons: ["typo"], comment: "Almost" });
  assert.deepEqual(new Review().kept, { reasons: [], comment: "" });
});

test("an unknown decision is not taken", () => {
  const review = new Review();
  review.choose("approve");
  assert.equal(review.decision, null);
});

test("the stopwatch stands still while the page is hidden", () => {
  let now = 0;
  const watch = new Stopwatch(() => now);
  now = 2000;
  watch.show(false);
  now = 60_000;
  watch.show(false);
  assert.equal(watch.seconds, 2);
  watch.show(true);
  watch.show(true);
  now = 61_500;
  assert.equal(watch.seconds, 3.5);
});

test("no answer means that the picture did not tell", () => {
  const blind = new BlindAnswer();
  assert.deepEqual(blind.body(3), { answer: "", seconds: 3, unsure: true });
  blind.answerWith(" B ");
  assert.deepEqual(blind.body(3), { answer: "B", seconds: 3, unsure: false });
  blind.beUnsure(true);
  assert.equal(blind.body(3).unsure, true);
});

const picture = { width: 1000, height: 800 };

test("a lens stays inside the picture and shows some of what is around", () => {
  assert.deepEqual(lensArea([500, 400, 560, 430], picture), [493, 378, 568, 453]);
  assert.deepEqual(lensArea([0, 0, 4, 4], picture), [0, 0, 48, 48]);
  assert.deepEqual(lensArea([0, 0, 1000, 800], picture), [100, 0, 900, 800]);
});

test("the box around several boxes", () => {
  assert.deepEqual(around([[5, 6, 7, 8], [1, 7, 6, 9]]), [1, 6, 7, 9]);
  assert.equal(around([]), null);
});
