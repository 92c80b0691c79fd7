import assert from "node:assert/strict";
import { test } from "node:test";
import { ToolBank } from "../../static/js/models/tool-bank.js";

const tool = (name, segment = "", aliases = [], state = "accepted", reason = "") => ({ name, segment, aliases, state, reason });
const bank = new ToolBank({
  tools: [
    tool("Pry bar", "22", ["wrecking bar"]), tool("Pipe wrench", "27"), tool("Wrench, torque", "27"), tool("Wrench", "27", ["spanner"]),
    tool("Wrap", "", [], "refused", "No tool."), tool("wren", "41", [], "proposed"),
  ],
  segments: { 22: "Building", 27: "Tools", 41: "Laboratory" },
});
const names = (groups) => groups.map(({ title, tools }) => [title, tools.map((one) => one.tool.name)]);

test("what begins with the text comes first, its segment with it, and nothing refused", () => {
  assert.deepEqual(names(bank.suggested("wr")), [
    ["Laboratory", ["wren"]],
    ["Tools", ["Wrench", "Wrench, torque", "Pipe wrench"]],
    ["Building", ["Pry bar"]],
  ]);
  assert.deepEqual(names(bank.suggested("WRENCH", "27"))[0][1], ["Wrench", "Wrench, torque", "Pipe wrench"]);
  assert.deepEqual(bank.suggested("  "), []);
  assert.equal(bank.suggested("wr", "", 2)[0].tools.length + (bank.suggested("wr", "", 2)[1]?.tools.length ?? 0), 2);
});

test("another name finds the tool and is said", () => {
  const [{ tools }] = bank.suggested("span");
  assert.deepEqual([tools[0].tool.name, tools[0].also], ["Wrench", "spanner"]);
  assert.equal(bank.find("  SPANNER ").name, "Wrench");
  const pairs = [["spanner", "wrench"], ["my own saw", "My own  saw"], ["Wrench", "Pry bar"], ["my own saw", "my own tape"]];
  assert.deepEqual(pairs.map(([one, other]) => bank.isSame(one, other)), [true, true, false, false]);
});

test("beside a name stands what the lead has to say of it", () => {
  assert.equal(bank.wordsFor("Wrench"), "Tools");
  assert.equal(bank.wordsFor("spanner"), "in the bank: Wrench");
  assert.equal(bank.wordsFor("Wrap"), "rejected: No tool.");
  assert.equal(bank.wordsFor("wren"), "proposed");
  assert.equal(bank.wordsFor("Fret saw"), "new: proposed when you submit");
  assert.deepEqual(["Wrench", "wren", "Fret saw"].map((name) => bank.settled(name)), [true, false, false]);
});
