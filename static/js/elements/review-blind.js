import { chordOf } from "../lib/key-combinations.js";
import { isTyping, singleKey } from "../lib/keys.js";
import { t } from "../lib/t.js";
import { BlindAnswer, Stopwatch } from "../models/review-blind.js";
import { OwnTable } from "./own-table.js";
import { listenForReport } from "./report.js";
import { ReviewLease } from "./review-lease.js";
import { send } from "./review-send.js";
import { listenForSkip } from "./review-skip.js";
import { ReviewStage } from "./review-stage.js";

/** What Alt with its key does while an answer is written. */
const ALT = ["unsure", "cannot"];

/**
 * Before gold is shown: the question is answered from the image, or from the gold crops alone and then from it.
 *
 *   <sightline-blind>stage · form with radios or a field named answer, [name=unsure]</sightline-blind>
 *
 * Reads image and urls from the block "review". The number of an option is the answer and is sent; Enter or Ctrl Enter send
 * what was written or pressed. The page that comes shows the image, or gold.
 */
export class SightlineBlind extends HTMLElement {
  #keys;
  #answer = new BlindAnswer();
  #watch = new Stopwatch(() => performance.now());
  #sending = false;
  #seat;
  #url = "";
  #sha = "";
  #condition = null;
  #ending = null;

  async connectedCallback() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    const form = this.querySelector("form");
    form.addEventListener("input", () => this.#read(form), { signal });
    form.addEventListener("submit", (event) => this.#submit(event), { signal });
    this.#answer.addEventListener("change", () => this.#show(), { signal });
    document.addEventListener("keydown", (event) => this.#key(event, form), { signal });
    document.addEventListener("visibilitychange", () => this.#watch.show(!document.hidden), { signal });
    this.#read(form);
    const { image, image_sha256: sha, urls, condition, keys } = JSON.parse(document.getElementById("review").textContent);
    this.#keys = new OwnTable(keys);
    this.#keys.show(this);
    this.#url = urls.blind;
    this.#sha = sha;
    this.#condition = condition;
    this.#seat = new ReviewLease(urls, (sentence) => this.#say(sentence), signal);
    listenForSkip(urls, this.#seat, signal);
    listenForReport(signal);
    if (image) await new ReviewStage(this.querySelector(".stage"), image).open(signal);
  }

  /** For the list of keys. */
  get keys() {
    const form = this.querySelector("form");
    const rows = this.#keys?.rowsOn(this, this.#acts(form)) ?? [];
    const written = (name) => this.#keys.rowsOf((one) => one === name).map(([keys, words]) => [`Alt ${keys}`, t("%(words)s, while you write", { words })]);
    const answers = form.querySelector("[type=radio]") ? [["1 … 9", t("answer with this option")]] : ALT.flatMap(written);
    return [...rows, ...answers, ["Enter", t("send the answer")]];
  }

  disconnectedCallback() {
    this.#ending?.abort();
  }

  #read(form) {
    const data = new FormData(form);
    this.#answer.answerWith(data.get("answer") ?? "");
    this.#answer.beUnsure(data.has("unsure"));
  }

  #key(event, form) {
    if (event.repeat) return;
    this.#keys?.press(event, this, this.#acts(form));
    if (event.defaultPrevented) return;
    const key = singleKey(event);
    const option = /^[1-9]$/.test(key) ? form.querySelectorAll("[type=radio]")[Number(key) - 1] : null;
    if (option) {
      event.preventDefault();
      this.#choose(option, form);
    } else if (this.#writing(event)) {
      event.preventDefault();
      this.querySelector(`[data-key-of="${this.#writing(event)}"]`).closest("button, label").click();
    } else if (key === "Enter" && !event.target.closest("button, a, summary, form")) {
      event.preventDefault();
      form.requestSubmit();
    }
  }

  #acts(form) {
    return { confirm: () => form.requestSubmit() };
  }

  /** What Alt with its key does while an answer is written: not sure, or cannot tell. */
  #writing(event) {
    if (!event.altKey || event.ctrlKey || event.metaKey || !isTyping(event.target)) return "";
    const name = this.#keys.named(chordOf({ key: event.key, shiftKey: event.shiftKey }));
    return ALT.includes(name) ? name : "";
  }

  /** The number answers at once, but not before there is something to answer from. */
  #choose(option, form) {
    if (this.#sending) return;
    option.checked = true;
    option.focus();
    this.#read(form);
    if (this.#isThere) form.requestSubmit();
  }

  get #isThere() {
    const view = this.querySelector(".frame__view");
    if (view) return this.querySelector(".stage.is-live") !== null;
    return [...this.querySelectorAll(".review__crops img")].every((crop) => crop.complete && crop.naturalWidth);
  }

  #show() {
    const { given } = this.#answer;
    for (const option of this.querySelectorAll(".opt label")) {
      option.classList.toggle("is-on", option.querySelector("input").checked);
    }
    this.querySelector("[data-show]").disabled = !given;
  }

  async #submit(event) {
    event.preventDefault();
    const cannot = event.submitter?.hasAttribute("data-cannot") ?? false;
    if (this.#sending || !(cannot || this.#answer.given)) return;
    this.#sending = true;
    const { seconds } = this.#watch;
    const body = cannot ? { answer: "", seconds, unsure: true } : this.#answer.body(seconds);
    const { ok, trouble } = await send(this.#url, { ...body, condition: this.#condition, image: this.#sha });
    if (!ok) {
      this.#sending = false;
      this.#say(trouble);
      return;
    }
    this.#seat.goOn();
    location.reload();
  }

  #say(trouble) {
    const note = this.querySelector("[data-trouble]");
    note.hidden = false;
    note.querySelector("span").textContent = trouble;
  }
}
