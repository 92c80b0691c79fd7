import { newKey, sendJson } from "../lib/request.js";
import { DraftCopy } from "../models/draft-copy.js";
import { DraftSaving } from "../models/draft-saving.js";
import { completed, same } from "../models/draft.js";
import { History } from "../models/history.js";
import { LastAsked } from "../models/last-asked.js";
import { ToolBank } from "../models/tool-bank.js";
import { ChainEditor } from "./chain-editor.js";
import { Comments } from "./comments.js";
import { OptionsEditor } from "./options-editor.js";
import { PlanEditor } from "./plan-editor.js";
import { QuestionField } from "./question-field.js";
import { StudioBoxes } from "./studio-canvas.js";
import { Checks } from "./studio-checks.js";
import { ConflictView } from "./studio-conflict.js";
import { FacetEditor } from "./studio-facets.js";
import { StudioKeys } from "./studio-keys.js";
import { Handing } from "./studio-handing.js";
import { Ahead } from "./studio-ahead.js";
import { SavingStatus } from "./studio-status.js";
import { Suggestions } from "./studio-suggestions.js";
import { Tabs } from "./studio-tabs.js";
import { turnTo } from "./studio-turning.js";

/**
 * The annotation studio: <sightline-studio data-person="…"> around the stage and the form, with the sample
 * as JSON in #studio. One history holds every change of the content; each goes to this browser at once and to the server.
 */
export class SightlineStudio extends HTMLElement {
  #data;
  #keys;
  #history;
  #asked;
  #saving;
  #parts;
  #boxes;
  #suggestions;
  #checks;
  #status;
  #handing;
  #ahead;
  #conflict;
  #comments = null;
  #ending = new AbortController();

  connectedCallback() {
    this.#data = JSON.parse(document.getElementById("studio").textContent);
    this.#keys = new StudioKeys(this.#data.keys);
    this.#keys.show(this);
    const left = this.#begin();
    this.#build();
    this.#listen();
    if (left) this.#history.change(left);
    if (this.#locked) this.#saving.lock(`${this.#data.key} is ${this.#data.state.replace("_", " ")} and locked: it is shown as it is.`);
    this.#show();
    this.#boxes?.open(this.#ending.signal);
  }

  /** The keys as this person has them, for the list of keys. */
  get keys() {
    const discussion = Boolean(this.#comments);
    return this.#keys.rowsWith({ image: Boolean(this.#boxes), suggestions: Boolean(this.#boxes && this.#data.suggestions?.length), discussion });
  }

  disconnectedCallback() {
    this.#ending.abort();
  }

  /** Returns the work of an earlier visit that the server does not have, or null. */
  #begin() {
    const copy = new DraftCopy(localStorage, `${this.#data.urls.draft} of ${this.dataset.person}`);
    this.#asked = new LastAsked(localStorage, `${this.#data.urls.queue} of ${this.dataset.person}`);
    const server = this.#asked.begun(completed(this.#data.content));
    const work = copy.read();
    const left = work && !same(work.content, server) ? completed(work.content) : null;
    if (!left) copy.drop();
    this.#history = new History(server);
    const send = (body, key) => this.#send("PUT", this.#data.urls.draft, body, key);
    const from = left ? { version: work.version, content: left, base: work.base, sent: work.sent } : { version: this.#data.version, content: server };
    this.#saving = new DraftSaving({ ...from, send, copy, newKey });
    return left;
  }

  #build() {
    const edit = (change, kind) => this.#locked || this.#history.change(change(this.#history.state), kind);
    const part = (name) => this.querySelector(`[data-part="${name}"]`);
    const { image, facets, bank } = this.#data;
    const old = this.#data.returned?.content?.gold_boxes;
    this.#boxes = image && new StudioBoxes(this, image, edit, () => this.#show(), old);
    this.#suggestions = this.#boxes && new Suggestions(part("suggestions"), this.#data.suggestions, image, this.#boxes.canvas, edit);
    const options = new OptionsEditor(part("answering"), edit);
    const tabs = new Tabs(this.querySelector("[role=tablist]"));
    const reveal = (element) => tabs.reveal(element);
    const question = new QuestionField(part("question"), edit, { next: (other) => options.focus(other), reveal });
    const plan = new PlanEditor(part("plan"), new ToolBank(bank), edit, image, { reveal, next: () => question.focus() });
    this.#parts = [options, new FacetEditor(part("facets"), this.#asked.known(facets ?? {}), edit, { reveal, next: () => question.focus() }), plan, new ChainEditor(part("chain"), edit), question];
    this.#checks = new Checks(this, reveal);
    const discussion = this.querySelector("[data-comments]");
    if (discussion) this.#comments = new Comments(discussion, this.#boxes?.canvas.places ?? null, this.#ending.signal);
    this.#checks.show(this.#data.checks ?? null);
    this.#status = new SavingStatus(document.getElementById("saving"), part("bar"));
    this.#conflict = new ConflictView(document.getElementById("conflict"), image, (...sides) => this.#settle(...sides));
    const { signal } = this.#ending;
    const send = (...sent) => this.#send(...sent);
    this.#ahead = new Ahead(this.#data.urls.ahead, send, this.querySelector(".stage"), signal);
    const acts = { signal, send, leave: (address) => this.#leave(address), renewed: () => this.#ahead.asked && this.#ahead.ask() };
    const settle = () => this.#parts.forEach((one) => one.settle?.());
    this.#handing = new Handing(this, this.#data.urls, { saving: this.#saving, checks: this.#checks, content: () => this.#history.state, settle, ...acts });
    this.#status.show(this.#saving.state, "", new Date(0));
  }

  /** Submitted or accepted work is shown as it is. */
  get #locked() {
    return this.#data.editable === false;
  }

  #listen() {
    const { signal } = this.#ending;
    this.#saving.addEventListener("change", () => this.#saved(), { signal });
    this.#history.addEventListener("change", () => this.#changed(), { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal, capture: true });
    window.addEventListener("online", () => this.#saving.flush(), { signal });
    window.addEventListener("pagehide", () => this.#saving.flush(), { signal });
    window.addEventListener("popstate", () => location.reload(), { signal });
    this.querySelector("[data-part=bar] [data-act=retry]").addEventListener("click", () => this.#saving.flush(), { signal });
    for (const name of ["undo", "redo"]) this.querySelector(`[data-tool=${name}]`)?.addEventListener("click", () => this.#history[name](), { signal });
  }

  #send(method, url, body, key, more = {}) {
    const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
    return sendJson(method, url, body, { token, key, ...more });
  }

  async #leave(address) {
    const page = address && (await this.#ahead.page(address));
    if (!page || !turnTo(address, page)) location.assign(address ?? this.#data.urls.queue);
  }

  #changed() {
    const { state } = this.#history;
    this.#saving.change(state);
    this.#asked.keep(state);
    this.#checks.outdate(Object.keys(state).filter((name) => !same(state[name], this.#saving.base[name])));
    this.#show();
  }

  #saved() {
    const { state, message, checks } = this.#saving;
    if (state === "saved" && checks) {
      this.#checks.show(checks);
      if (!this.#ahead.asked) this.#ahead.ask();
    }
    if (state === "conflict") this.#conflict.open(this.#saving.base, this.#history.state, this.#saving.theirs);
    this.#status.show(state, message);
    this.#handing.show();
  }

  /** Go on after a conflict; both versions can be had back by undoing. */
  #settle(content, theirs) {
    this.#saving.resolve(content);
    for (const state of [theirs, content]) if (!same(state, this.#history.state)) this.#history.change(state);
    this.#show();
  }

  #show() {
    const content = this.#history.state;
    for (const part of this.#parts) part.show(content);
    this.#boxes?.show(content);
    this.#suggestions?.show(content);
    this.querySelector("[data-part=boxes-n]").textContent = content.gold_boxes.length || "";
    const { targets, distractors } = content;
    this.querySelector("[data-part=chain-n]").textContent = content.reference_toolchain.length || "";
    this.querySelector("[data-part=plan-n]").textContent = targets.length + distractors.length ? `${targets.length} + ${distractors.length}` : "";
    for (const [name, can] of [["undo", this.#history.canUndo], ["redo", this.#history.canRedo]]) {
      const button = this.querySelector(`[data-tool=${name}]`);
      if (button) button.disabled = !can;
    }
    this.#handing.show();
  }

  #key(event) {
    if (document.querySelector("dialog[open]") || event.isComposing || event.defaultPrevented) return;
    // What is written to others has keys of its own.
    if (event.target.closest("[data-comments] form")) return;
    const [name, ...values] = this.#comments?.takes(event.key) ? ["taken"] : (this.#keys.asked(event) ?? ["none"]);
    const own = {
      submit: () => this.#handing.submit(),
      undo: () => this.#history.undo(),
      redo: () => this.#history.redo(),
      facet: () => this.#parts[1].key(...values),
      "add-facet": () => this.#parts[1].begin(),
      plan: () => this.#parts[2].begin(),
      comment: () => (this.#comments ? this.#comments.begin() : false),
      taken: () => true,
      none: () => false,
    }[name];
    if ((own ? own() : (this.#suggestions?.act(name) ?? this.#boxes?.act(name, values, event))) === false) return this.#parts.at(-1).begin(event);
    event.preventDefault();
    event.stopPropagation();
  }
}
