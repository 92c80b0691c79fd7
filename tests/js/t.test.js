import assert from "node:assert/strict";
import test from "node:test";

import { allOf, anyOf, around, t, tn, tp, translator } from "../../static/js/lib/t.js";

const FEW = { forms: Array.from({ length: 200 }, (_, n) => (n % 10 === 1 && n % 100 !== 11 ? 0 : 1)).join("") };

test("without a catalog a text is its own name, and no page is needed", () => {
  assert.equal(t("Saved"), "Saved");
  assert.equal(t("Saved %(time)s, 100%", { time: "10:42" }), "Saved 10:42, 100%");
  assert.equal(tp("key", "open"), "open");
});

test("a count chooses the form, and is a value of the text", () => {
  assert.equal(tn("%(count)s box", "%(count)s boxes", 1), "1 box");
  assert.equal(tn("%(count)s box", "%(count)s boxes", 0), "0 boxes");
  assert.equal(tn("%(count)s box of %(name)s", "%(count)s boxes of %(name)s", 2, { name: "G1" }), "2 boxes of G1");
  assert.equal(tn("%(count)s box", "%(count)s boxes", 1200, { count: "1,200" }), "1,200 boxes");
});

test("values are put in once, and a place without a value stays", () => {
  assert.equal(t("%(a)s %(b)s", { a: "%(b)s", b: 0 }), "%(b)s 0");
  assert.equal(t("%(a)s"), "%(a)s");
  assert.equal(t("$& %(a)s", { a: "$1" }), "$& $1");
});

test("a catalog has the texts of its language, and each text that it lacks is English", () => {
  const words = translator({ texts: { Saved: "Gardita", "key\u0004open": "malfermi", "%(count)s box": ["%(count)s skatolo", "%(count)s skatoloj"] }, ...FEW });
  assert.equal(words.t("Saved"), "Gardita");
  assert.equal(words.t("Not saved"), "Not saved");
  assert.equal(words.t("constructor"), "constructor");
  assert.equal(words.tp("key", "open"), "malfermi");
  assert.equal(words.t("open"), "open");
  assert.equal(words.tn("%(count)s box", "%(count)s boxes", 1), "1 skatolo");
  assert.equal(words.tn("%(count)s box", "%(count)s boxes", 5), "5 skatoloj");
  assert.equal(words.tn("%(count)s crop", "%(count)s crops", 5), "5 crops");
});

test("the form of a large count is that of its last two digits", () => {
  const words = translator({ texts: { one: ["one", "many"] }, ...FEW });
  assert.deepEqual([1, 11, 101, 111, 221, 1011, 3121].map((n) => words.tn("one", "many", n)), ["one", "many", "one", "many", "one", "many", "one"]);
});

test("several texts are joined as one, and none is no text", () => {
  assert.equal(anyOf(["3", "4", 5]), "3 or 4 or 5");
  assert.equal(allOf(["Crop"]), "Crop");
  assert.equal(allOf([]), "");
});

test("an element takes the place of a value", () => {
  assert.deepEqual(around("Open %(turn)s now", "turn", 1, 2), ["Open ", 1, 2, " now"]);
  assert.deepEqual(around("Open", "turn", 1), ["Open", 1, ""]);
});
