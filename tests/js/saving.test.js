import assert from "node:assert/strict";
import test from "node:test";

import { DraftCopy } from "../../static/js/models/draft-copy.js";
import { DraftSaving } from "../../static/js/models/draft-saving.js";
import { completed, onNewImage } from "../../static/js/models/draft.js";

const asking = (question) => completed({ question });
const settle = () => new Promise((resolve) => setImmediate(resolve));

function memory() {
  const held = new Map();
  return {
    getItem: (name) => held.get(name) ?? null,
    setItem: (name, value) => held.set(name, value),
    removeItem: (name) => held.delete(name),
  };
}

/** A server of one draft, a network that can be cut, and a clock that is moved by hand. */
function bench({ version = 3, content = asking("Why?"), sent = null, start = content, now } = {}) {
  const server = { version, content, requests: [], seen: new Map(), up: true, answers: true, next: null };
  const waiting = [];
  const send = async (body, key) => {
    if (!server.up) throw new TypeError("no network");
    server.requests.push({ ...body, key });
    if (server.next) return server.next;
    const known = server.seen.get(key);
    if (known) return known;
    if (body.version !== server.version) {
      return { status: 409, data: { error: { code: "stale" }, version: server.version, content: server.content } };
    }
    server.version += 1;
    server.content = structuredClone(body.content);
    const answer = { status: 200, data: { version: server.version, checks: [] } };
    server.seen.set(key, answer);
    if (!server.answers) throw new TypeError("answer lost");
    return answer;
  };
  const timers = {
    set: (act, after) => {
      const timer = { act, after };
      waiting.push(timer);
      return timer;
    },
    clear: (timer) => waiting.includes(timer) && waiting.splice(waiting.indexOf(timer), 1),
  };
  let keys = 0;
  const copy = new DraftCopy(memory(), "/draft/");
  const saving = new DraftSaving({ version, content: start, base: content, sent, send, copy, newKey: () => `key ${(keys += 1)}`, timers, now });
  const tick = async () => {
    const waits = waiting.map(({ after }) => after);
    for (const { act } of waiting.splice(0)) act();
    await settle();
    return waits;
  };
  return { server, saving, copy, tick };
}

test("who types on and on is saved every two seconds", async () => {
  let clock = 0;
  const { saving, tick } = bench({ now: () => clock });
  for (clock of [0, 700, 1400, 1900]) saving.change(asking(`Why ${clock}`));
  assert.deepEqual(await tick(), [100]);
  saving.change(asking("Why not?"));
  assert.deepEqual(await tick(), [800]);
});

test("a change is in the copy at once and with the server after a moment", async () => {
  const { server, saving, copy, tick } = bench();
  saving.change(asking("Where?"));
  assert.equal(copy.read().content.question, "Where?");
  assert.equal(server.requests.length, 0);
  assert.deepEqual(await tick(), [800]);
  assert.equal(server.content.question, "Where?");
  assert.deepEqual([saving.state, saving.version, copy.read()], ["saved", 4, null]);
});

test("changes in a row are one request, and one goes at a time", async () => {
  const { server, saving, tick } = bench();
  for (const text of ["a", "ab", "abc"]) saving.change(asking(text));
  const going = tick();
  saving.change(asking("abcd"));
  await going;
  assert.equal(server.requests.length, 1);
  await tick();
  assert.deepEqual(server.requests.map(({ version }) => version), [3, 4]);
  assert.equal(server.content.question, "abcd");
});

test("without network it is tried again, later each time, until it arrives", async () => {
  const { server, saving, copy, tick } = bench();
  server.up = false;
  saving.change(asking("Where?"));
  await tick();
  assert.equal(saving.state, "offline");
  assert.deepEqual([await tick(), await tick(), await tick()], [[1000], [2000], [4000]]);
  assert.equal(copy.read().content.question, "Where?");
  server.up = true;
  await tick();
  assert.equal(server.content.question, "Where?");
  assert.equal(saving.state, "saved");
});

test("when only the answer was lost, the same key makes it count once", async () => {
  const { server, saving, tick } = bench();
  server.answers = false;
  saving.change(asking("Where?"));
  await tick();
  server.answers = true;
  await tick();
  assert.equal(server.requests[0].key, server.requests[1].key);
  assert.deepEqual([server.version, saving.version, saving.state], [4, 4, "saved"]);
});

test("when the answer was lost and typing went on, there is no conflict with oneself", async () => {
  const { server, saving, tick } = bench();
  server.answers = false;
  saving.change(asking("Where?"));
  await tick();
  server.answers = true;
  saving.change(asking("Where is it?"));
  await tick();
  assert.notEqual(saving.state, "conflict");
  await tick();
  assert.deepEqual([server.content.question, saving.state], ["Where is it?", "saved"]);
});

test("the same holds after the page was lost with the answer", async () => {
  const sent = asking("Where?");
  const { server, saving, tick } = bench({ version: 3, sent, start: asking("Where is it?") });
  Object.assign(server, { version: 4, content: structuredClone(sent) });
  saving.change(asking("Where is it?"));
  await tick();
  await tick();
  assert.deepEqual([server.content.question, saving.state], ["Where is it?", "saved"]);
});

test("somebody else's change is a conflict that waits for a choice", async () => {
  const { server, saving, copy, tick } = bench();
  Object.assign(server, { version: 5, content: asking("Theirs?") });
  saving.change(asking("Mine?"));
  await tick();
  assert.equal(saving.state, "conflict");
  assert.deepEqual(saving.theirs, { version: 5, content: asking("Theirs?") });
  saving.change(asking("Mine again?"));
  assert.deepEqual(await tick(), []);
  assert.equal(copy.read().content.question, "Mine again?");
  saving.resolve(asking("Both?"));
  await tick();
  assert.deepEqual([server.version, server.content.question, saving.state], [6, "Both?", "saved"]);
});

test("a lost lease stops sending and keeps the work", async () => {
  const { server, saving, copy, tick } = bench();
  server.next = { status: 409, data: { error: { code: "lease_lost", message: "Rui has it now." } } };
  saving.change(asking("Mine?"));
  await tick();
  assert.deepEqual([saving.state, saving.message], ["lost", "Rui has it now."]);
  saving.change(asking("More?"));
  assert.deepEqual(await tick(), []);
  assert.equal(copy.read().content.question, "More?");
});

test("D7.12: work is kept while its person is signed out, and sent once they are back", async () => {
  const { server, saving, copy, tick } = bench();
  server.next = { status: 401, data: { error: { code: "signed_out", message: "Sign in." } } };
  saving.change(asking("Mine?"));
  await tick();
  assert.equal(saving.state, "signed-out");
  assert.equal(copy.read().content.question, "Mine?");
  assert.deepEqual(await tick(), []);
  server.next = null;
  await saving.flush();
  assert.deepEqual([server.content.question, saving.state], ["Mine?", "saved"]);
});

test("what the server refuses is said, and the next change is tried", async () => {
  const { server, saving, tick } = bench();
  server.next = { status: 400, data: { error: { code: "invalid", message: "A box has four numbers." } } };
  saving.change(asking("Mine?"));
  await tick();
  assert.deepEqual([saving.state, saving.message], ["refused", "A box has four numbers."]);
  server.next = null;
  saving.change(asking("Mine!"));
  await tick();
  assert.equal(saving.state, "saved");
});

test("flushing sends what waits and then waits for it", async () => {
  const { server, saving } = bench();
  saving.change(asking("Where?"));
  await saving.flush();
  assert.deepEqual([server.content.question, saving.state], ["Where?", "saved"]);
});

test("a storage that refuses or holds nonsense is no copy", () => {
  const full = { setItem: () => { throw new Error("full"); }, getItem: () => "{", removeItem: () => { throw new Error("no"); } };
  const copy = new DraftCopy(full, "/draft/");
  assert.equal(copy.keep({}), false);
  assert.equal(copy.read(), null);
  copy.drop();
  assert.equal(new DraftCopy({ getItem: () => '{"version": 1}' }, "x").read(), null);
});

test("a page that shows a replaced image saves nothing more, and says so", async () => {
  const { server, saving, tick } = bench();
  server.next = { status: 409, data: { error: { code: "image_replaced", message: "Reload the page." } } };
  saving.change(asking("Where?"));
  await tick();
  assert.deepEqual([saving.state, saving.message], ["replaced", "Reload the page."]);
  saving.change(asking("Who?"));
  await saving.flush();
  assert.equal(server.requests.length, 1);
});

test("work left on a replaced image keeps its texts, and takes the boxes of the server", () => {
  const old = { gold_boxes: [{ box: [0, 0, 9, 9], label: "" }] };
  const theirs = { ...asking("Why?"), gold_boxes: [] };
  const work = { version: 3, content: { ...asking("Where?"), ...old }, base: { ...asking("Why?"), ...old }, sent: null };
  const found = onNewImage(work, { version: 4, content: theirs });
  assert.deepEqual([found.version, found.content], [4, { ...asking("Where?"), gold_boxes: [] }]);
  const other = onNewImage(work, { version: 5, content: { ...theirs, question: "Who?" } });
  assert.equal(other.version, 3, "a person chooses between the texts");
  assert.deepEqual(other.content.gold_boxes, []);
});
