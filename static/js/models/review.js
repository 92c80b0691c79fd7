/** A review while it is written: what is decided, why, and whether the server has it. */

import { t } from "../lib/t.js";

export const DECISIONS = ["accept", "fix_and_accept", "return", "discard"];

/** Says "change" whenever anything of it is different. */
export class Review extends EventTarget {
  #decision = null;
  #reasons = new Set();
  #comment = "";
  #sending = false;
  #trouble = "";

  /** @param {{reasons?: string[], comment?: string}} kept what was typed before the page was left */
  constructor(kept = {}) {
    super();
    this.#reasons = new Set(kept.reasons);
    this.#comment = kept.comment ?? "";
  }

  get decision() {
    return this.#decision;
  }

  get reasons() {
    return [...this.#reasons];
  }

  get comment() {
    return this.#comment;
  }

  get sending() {
    return this.#sending;
  }

  /** Why the server did not take it, as a sentence; empty when there is nothing to say. */
  get trouble() {
    return this.#trouble;
  }

  /** What is missing before this can be sent: the field and a sentence; null when nothing is. */
  get missing() {
    if (this.#decision === "return" && !this.#comment.trim()) {
      return { field: "comment", text: t("Write in the comment what the author should change.") };
    }
    if (this.#decision === "discard" && !this.#reasons.size && !this.#comment.trim()) {
      return { field: "comment", text: t("Choose a reason, or write in the comment why the sample is discarded.") };
    }
    return null;
  }

  /** What is kept in the browser until the server has it. */
  get kept() {
    return { reasons: this.reasons, comment: this.#comment };
  }

  choose(decision) {
    if (this.#sending || (decision !== null && !DECISIONS.includes(decision))) return;
    this.#decision = decision;
    this.#trouble = "";
    this.#say();
  }

  toggle(reason) {
    if (!this.#reasons.delete(reason)) this.#reasons.add(reason);
    this.#say();
  }

  write(comment) {
    this.#comment = comment;
    this.#say();
  }

  /** The body to send, or null while one is under way or something is missing. `content`: the fixed one. */
  begin(content = null) {
    if (this.#sending || this.#decision === null || this.missing) return null;
    this.#sending = true;
    this.#trouble = "";
    this.#say();
    const body = { decision: this.#decision, reasons: this.reasons, comment: this.#comment.trim() };
    return this.#decision === "fix_and_accept" ? { ...body, content } : body;
  }

  /** The server did not take it; all stays as it was typed. */
  failed(sentence) {
    this.#sending = false;
    this.#trouble = sentence;
    this.#say();
  }

  #say() {
    this.dispatchEvent(new Event("change"));
  }
}
