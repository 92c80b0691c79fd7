import { t } from "../lib/t.js";
import { same } from "./draft.js";

const WAIT = 800;
const LONGEST_WAIT = 2000;
const FIRST_RETRY = 1000;
const LONGEST_RETRY = 30_000;

const TIMERS = {
  set: (act, after) => setTimeout(act, after),
  clear: (timer) => clearTimeout(timer),
};

/**
 * Carries each change to the server: at once into the copy, 800 ms after the last change over the network, or 2 s after
 * the first that is not saved, one request at a time, each on top of the version before. Says "change"; `state` is
 *
 *   saved, unsaved, saving   all is well
 *   offline                  no answer; tried again after 1, 2, 4, … 30 s
 *   conflict                 a person saved on top of the same version; `theirs` is what they saved
 *   lost                     the sample is no longer this person's to change
 *   replaced                 it has another image than the page shows; `message` says so
 *   locked                   it is shown alone; nothing is saved
 *   signed-out               the session has ended; sent by flush() once the person is signed in again
 *   refused                  the server will not take it; `message` says why
 *
 * `send(body, key)` resolves to {status, data} and rejects without network.
 */
export class DraftSaving extends EventTarget {
  state = "saved";
  message = "";
  theirs = null;
  checks = null;
  #draft;
  #base;
  #sent = null;
  #parts;
  #timer = null;
  #since = null;
  #flight = null;
  #tries = 0;

  constructor({ version, content, base = content, sent = null, send, copy, newKey, timers = TIMERS, now = () => performance.now() }) {
    super();
    this.#draft = { version, content };
    this.#base = base;
    this.#sent = sent && { content: sent, key: newKey() };
    this.#parts = { send, copy, newKey, timers, now };
  }

  get version() {
    return this.#draft.version;
  }

  /** The content of the version that unsaved work goes on from. */
  get base() {
    return this.#base;
  }

  change(content) {
    this.#draft = { ...this.#draft, content };
    this.#keep();
    if (this.#isOver || this.state === "conflict") return;
    if (!this.#flight) this.#say("unsaved");
    const now = this.#parts.now();
    this.#since ??= now;
    this.#after(Math.min(WAIT, Math.max(0, this.#since + LONGEST_WAIT - now)));
  }

  /** Send what is not saved, now; resolves when there is nothing on its way. */
  async flush() {
    this.#parts.timers.clear(this.#timer);
    while (this.#flight) await this.#flight;
    if (this.state === "saved" || this.#isOver || this.state === "conflict") return;
    await this.#launch();
  }

  /** Go on after a conflict with this content on top of their version. */
  resolve(content) {
    this.#draft = { version: this.theirs.version, content };
    this.#base = this.theirs.content;
    this.theirs = null;
    this.#keep();
    this.#say("unsaved");
    this.#after(0);
  }

  /** Everything is with the server in another way, as by submitting. */
  finish() {
    this.#parts.timers.clear(this.#timer);
    this.#parts.copy.drop();
    this.#say("saved");
  }

  /** The server takes nothing more from this page, because the lease is gone or the sample has another image; what is
   * here stays in the copy. */
  lose({ message = "", code = "" } = {}) {
    this.#parts.timers.clear(this.#timer);
    this.#keep();
    this.#say(code === "image_replaced" ? "replaced" : "lost", message);
  }

  get #isOver() {
    return this.state === "lost" || this.state === "replaced";
  }

  /** Show it alone. */
  lock(message) {
    this.#say("locked", message);
  }

  #keep() {
    this.#parts.copy.keep({ ...this.#draft, base: this.#base, sent: this.#sent?.content ?? null });
  }

  #after(wait) {
    this.#parts.timers.clear(this.#timer);
    this.#timer = this.#parts.timers.set(() => this.#launch(), wait);
  }

  #launch() {
    if (this.#flight) return this.#flight;
    this.#flight = this.#send().finally(() => (this.#flight = null));
    return this.#flight;
  }

  async #send() {
    const { content, version } = this.#draft;
    this.#since = null;
    // The same again has the same key, so that it counts once even if only the answer was lost.
    const key = this.#sent && this.#sent.content === content ? this.#sent.key : this.#parts.newKey();
    const before = this.#sent;
    this.#sent = { content, key };
    this.#keep();
    if (this.state !== "offline") this.#say("saving");
    let answer;
    try {
      answer = await this.#parts.send({ version, content }, key);
    } catch {
      this.#retry();
      return;
    }
    this.#take(answer, content, before);
  }

  #take({ status, data }, content, before) {
    if (status === 200) this.#saved(data, content);
    else if (status === 409 && data.content) this.#clash(data, before);
    else if (status === 409) this.lose(data.error);
    else if (status === 401) this.#say("signed-out");
    else if (status >= 500 || status === 429) this.#retry();
    else this.#say("refused", data?.error?.message ?? t("The server rejected the draft."));
  }

  #saved(data, content) {
    this.#tries = 0;
    this.#sent = null;
    this.#draft = { ...this.#draft, version: data.version };
    this.#base = content;
    this.checks = data.checks ?? null;
    if (this.#draft.content === content) {
      this.#parts.copy.drop();
      this.#say("saved");
    } else {
      this.#keep();
      this.#say("unsaved");
      this.#after(WAIT);
    }
  }

  #clash(data, before) {
    this.#sent = null;
    const ours = [before?.content, this.#draft.content].some((content) => content && same(content, data.content));
    this.theirs = { version: data.version, content: data.content };
    // What we sent did arrive; only the answer was lost.
    if (ours) this.resolve(this.#draft.content);
    else this.#say("conflict");
  }

  #retry() {
    this.#tries += 1;
    this.#say("offline");
    this.#after(Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** (this.#tries - 1)));
  }

  #say(state, message = "") {
    this.state = state;
    this.message = message;
    this.dispatchEvent(new Event("change"));
  }
}
