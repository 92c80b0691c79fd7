import { sendJson } from "../lib/request.js";
import { t } from "../lib/t.js";
import { Dismissed } from "../models/dismissed.js";
import { completed, same } from "../models/draft.js";
import { LastAsked } from "../models/last-asked.js";
import { VisibleTime } from "../models/visible-time.js";
import { Comments } from "./comments.js";
import { beginDraft } from "./draft-work.js";
import { listenForReport, openReport } from "./report.js";
import { SampleEditor } from "./sample-editor.js";
import { Checks } from "./studio-checks.js";
import { ConflictView } from "./studio-conflict.js";
import { StudioKeys } from "./studio-keys.js";
import { Handing } from "./studio-submit.js";
import { Ahead } from "./studio-ahead.js";
import { SavingStatus } from "./studio-status.js";
import { TakeBack } from "./studio-take-back.js";
import { turnTo } from "./studio-turning.js";
import { WorkTime } from "./work-time.js";

/** Why work is read-only, by its state. */
const LOCKED = {
  submitted: (key) => t("%(key)s is submitted. Read-only until a reviewer returns it.", { key }),
  in_review: (key) => t("%(key)s is in review. Read-only until a reviewer returns it.", { key }),
  accepted: (key) => t("%(key)s is accepted. Read-only until the lead reopens it.", { key }),
  discarded: (key) => t("%(key)s is discarded. Read-only until the lead reopens it.", { key }),
};

/** What can be done to a sample whatever its state. */
const ANYWHERE = new Set(["previous", "following", "report"]);

/** What can be taken back is said next to it. */
const HELD = (key) => t("%(key)s is submitted.", { key });

/** What of the studio goes on while the place of a comment is picked. */
const LOOKING = new Set(["fit", "evidence", "closer", "farther", "hand", "turn", "eye", "boxes", "nudge", "escape"]);

/**
 * The annotation studio: <sightline-studio data-person="…"> around the stage and the form, with the sample
 * as JSON in #studio. Each change of the content goes to this browser at once and to the server.
 */
export class SightlineStudio extends HTMLElement {
  #data;
  #keys;
  /** The content as the server has it. */
  #server;
  #editor;
  #asked;
  #saving;
  #checks;
  #status;
  #handing;
  #ahead;
  #conflict;
  #comments = null;
  #time;
  #asking = false;
  #visible = new VisibleTime(document.visibilityState === "visible", () => performance.now());
  #ending = new AbortController();

  connectedCallback() {
    this.#data = JSON.parse(document.getElementById("studio").textContent);
    this.#keys = new StudioKeys(this.#data.keys);
    this.#keys.show(this);
    const left = this.#begin();
    this.#build();
    this.#listen();
    if (this.#data.editable === false) this.#lock();
    else if (left) this.#editor.change(left);
    this.#editor.open(this.#ending.signal);
    this.#handing.show();
  }

  /** The keys as this person has them, for the list of keys. */
  get keys() {
    const discussion = Boolean(this.#comments);
    const image = Boolean(this.#data.image);
    return this.#keys.rowsWith({ image, suggestions: image && this.#data.suggestions.length > 0, drafts: this.#data.drafts.length > 0, discussion, own: true });
  }

  disconnectedCallback() {
    this.#ending.abort();
  }

  /** Submitted or decided work is shown as the server has it. */
  #lock() {
    const { key, state, take_back: held } = this.#data;
    const words = held ? HELD : (LOCKED[state] ?? LOCKED.accepted);
    this.#editor.read(this.#server);
    this.querySelector("[data-opens=skip]").disabled = true;
    this.#saving.lock(words(key));
  }

  /** Returns the work of an earlier visit that the server does not have, or null. */
  #begin() {
    const { urls, version, content, image, same_pixels: pixels } = this.#data;
    this.#time = new WorkTime(urls.time, this.#ending.signal);
    this.#asked = new LastAsked(localStorage, `${urls.queue} of ${this.dataset.person}`);
    this.#server = this.#asked.begun(completed(content), this.#data.task.answer_types);
    const send = (body, key) => this.#sendDraft(body, key);
    const { saving, left } = beginDraft({ url: urls.draft, person: this.dataset.person, version, content: this.#server, image: image?.sha, pixels, send });
    this.#saving = saving;
    return left;
  }

  #build() {
    const { image, facets, bank, suggestions, drafts, returned } = this.#data;
    const old = returned?.content?.gold_boxes;
    const known = this.#asked.known(facets ?? {});
    const dismissed = new Dismissed(sessionStorage, `${this.#data.urls.draft} of ${this.dataset.person}`);
    this.#editor = new SampleEditor(this, this.#server, { image, bank, suggestions, drafts, dismissed, old, oldTag: "returned", facets: known, task: this.#data.task, fixed: this.#data.fixed, click: this.#data.editable === false ? null : this.#data.click }, this.#ending.signal);
    const reveal = (element) => this.#editor.reveal(element);
    this.#checks = new Checks(this, reveal);
    const discussion = this.querySelector("[data-comments]");
    if (discussion) this.#comments = new Comments(discussion, this.#editor.canvas?.places ?? null, this.#ending.signal, this.#data.image?.sha);
    this.#checks.show(this.#data.checks ?? null);
    this.#status = new SavingStatus(document.getElementById("saving"), this.querySelector("[data-part=bar]"));
    this.#conflict = new ConflictView(document.getElementById("conflict"), image, (...sides) => this.#settle(...sides));
    const { signal } = this.#ending;
    const send = (...sent) => this.#send(...sent);
    new TakeBack(this, this.#data.take_back, this.#data.urls, send, signal);
    listenForReport(signal);
    this.#ahead = new Ahead(this.#data.urls.ahead, send, this.querySelector(".stage"), signal);
    const acts = { signal, send, leave: (address) => this.#leave(address), renewed: () => this.#ahead.asked && this.#ahead.ask() };
    const settle = () => this.#editor.settle();
    this.#handing = new Handing(this, this.#data.urls, { saving: this.#saving, checks: this.#checks, content: () => this.#editor.content, settle, extra: () => ({ image: this.#data.image?.sha, decisions: this.#editor.decisions, clicks: this.#editor.clicks, seconds: this.#visible.seconds }), ...acts });
    this.#status.show(this.#saving.state, "", new Date(0));
  }

  #listen() {
    const { signal } = this.#ending;
    this.#saving.addEventListener("change", () => this.#saved(), { signal });
    this.#editor.addEventListener("change", () => this.#changed(), { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal, capture: true });
    document.addEventListener("visibilitychange", () => this.#visible.change(document.visibilityState === "visible"), { signal });
    window.addEventListener("online", () => this.#saving.flush(), { signal });
    document.addEventListener("signedin", () => this.#saving.flush(), { signal });
    window.addEventListener("pagehide", () => this.#saving.flush(), { signal });
    window.addEventListener("popstate", () => location.reload(), { signal });
    this.querySelector("[data-part=another]")?.addEventListener("submit", (event) => this.#askAnother(event), { signal });
    this.querySelector("[data-part=bar] [data-act=retry]").addEventListener("click", () => this.#saving.flush(), { signal });
  }

  #send(method, url, body, key, more = {}) {
    const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
    return sendJson(method, url, body, { token, key, ...more });
  }

  /** A draft carries the time that was worked on it. */
  async #sendDraft(body, key) {
    const time = this.#time.take();
    let arrived = false;
    try {
      const answer = await this.#send("PUT", this.#data.urls.draft, { ...body, image: this.#data.image?.sha, time: time?.report }, key);
      arrived = answer.status === 200;
      return answer;
    } finally {
      if (!arrived) time?.restore();
    }
  }

  async #leave(address) {
    const page = address && (await this.#ahead.page(address));
    const turned = Boolean(page) && turnTo(address, page);
    if (!turned) location.assign(address ?? this.#data.urls.queue);
    return turned;
  }

  /** Go to another sample of this person, with what was typed saved. */
  async #visit(address) {
    await this.#saving.flush();
    location.assign(address);
  }

  /** Another question about the image begins with what is saved of this one. */
  async #askAnother(event) {
    if (this.#asking) return;
    event.preventDefault();
    const { target, submitter } = event;
    await this.#saving.flush();
    // A form cannot be submitted again while its event is under way.
    setTimeout(() => {
      this.#asking = true;
      target.requestSubmit(submitter);
    });
  }

  #changed() {
    const { content } = this.#editor;
    this.#saving.change(content);
    this.#asked.keep(content);
    this.#checks.outdate(Object.keys(content).filter((name) => !same(content[name], this.#saving.base[name])));
    this.#handing.show();
  }

  #saved() {
    const { state, message, checks } = this.#saving;
    if (state === "saved" && checks) {
      this.#checks.show(checks);
      if (!this.#ahead.asked) this.#ahead.ask();
    }
    if (state === "conflict") this.#conflict.open(this.#saving.base, this.#editor.content, this.#saving.theirs);
    this.#status.show(state, message);
    this.#handing.show();
  }

  /** Go on after a conflict; both versions can be had back by undoing. */
  #settle(content, theirs) {
    this.#saving.resolve(content);
    for (const state of [theirs, content]) this.#editor.change(state);
  }

  #key(event) {
    if (document.querySelector("dialog[open]") || event.isComposing || event.defaultPrevented) return;
    // What is written to others has keys of its own.
    if (event.target.closest("[data-comments] form")) return;
    if (!this.#act(event)) return this.#editor.begin(event);
    event.preventDefault();
    event.stopPropagation();
  }

  /** Whether the key did something. */
  #act(event) {
    if (this.#comments?.takes(event.key)) return true;
    if (this.#editor.keyOfDraft(event)) return true;
    const [name, ...values] = this.#keys.asked(event) ?? ["none"];
    const isNone = name === "none" || (name === "comment" && !this.#comments) || (this.#comments?.isPicking && !LOOKING.has(name));
    if (this.#editor.typed(event, isNone ? "none" : name)) {
      this.#comments?.stop();
      return true;
    }
    if (isNone) return false;
    if (name === "report") openReport();
    else if (ANYWHERE.has(name)) this.#visit(this.#data.urls[name]);
    else if (name === "submit") this.#handing.submit();
    else if (name === "comment") {
      this.#editor.leaveClick();
      this.#comments.begin();
    }
    else return this.#editor.act(name, values, event) !== false;
    return true;
  }
}
