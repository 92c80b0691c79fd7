import { singleKey } from "../lib/keys.js";
import { t } from "../lib/t.js";
import { Stopwatch } from "../models/review-blind.js";
import { ZoomRecorder } from "../models/zooms.js";
import { send } from "./review-send.js";
import { ReviewStage } from "./review-stage.js";

const KEPT = "study:";
/** Milliseconds without a sign of the person after which their time stands still. */
const IDLE = 60_000;
/** How often the sample is kept for a person who works on it, in milliseconds. */
const RENEWAL = 120_000;
const SIGNS = ["pointermove", "pointerdown", "wheel", "keydown", "touchstart"];

/**
 * One sample of a human study: an image to zoom into, and a form. Where the person looks and how long is sent along.
 *
 *   <sightline-study>stage · form with [name=seconds], [name=zooms] and a button [data-send]</sightline-study>
 *
 * Reads the block "study-task". A reload keeps what was recorded. Enter sends; data-key does the rest.
 */
export class SightlineStudy extends HTMLElement {
  #watch = new Stopwatch(() => performance.now());
  #recorder = null;
  #before = 0;
  #name = "";
  #idle = null;
  #active = false;
  #seen = null;
  #ending = null;

  async connectedCallback() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    const { key, image, held, most, stay } = JSON.parse(document.getElementById("study-task").textContent);
    this.#name = `${KEPT}${key}`;
    const { zooms = [], seconds = 0 } = this.#remembered();
    this.#before = seconds;
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    document.addEventListener("visibilitychange", () => this.#show(!document.hidden), { signal });
    addEventListener("pagehide", () => this.#remember(), { signal });
    for (const name of SIGNS) document.addEventListener(name, () => this.#awake(), { signal, passive: true });
    this.querySelector("form").addEventListener("formdata", ({ formData }) => this.#add(formData), { signal });
    this.#awake();
    const clock = setInterval(() => this.#stay(stay), RENEWAL);
    signal.addEventListener("abort", () => clearInterval(clock));
    if (!image) return;
    this.#recorder = new ZoomRecorder(image, { held, most, zooms, now: () => performance.now() });
    const stage = new ReviewStage(this.querySelector(".stage"), image);
    stage.onLook = (box) => this.#look(box);
    await stage.open(signal);
  }

  disconnectedCallback() {
    clearTimeout(this.#idle);
    this.#ending?.abort();
  }

  /** For the list of keys. */
  get keys() {
    return [["Enter", t("send the answer")]];
  }

  #look(box) {
    this.#seen = box;
    if (!document.hidden) this.#recorder.look(box);
  }

  #show(visible) {
    this.#watch.show(visible);
    if (visible) this.#recorder?.look(this.#seen);
    else this.#recorder?.stop();
  }

  /** A sign of the person: time passes until they have given none for a minute. */
  #awake() {
    clearTimeout(this.#idle);
    if (document.hidden) return;
    this.#active = true;
    this.#show(true);
    this.#idle = setTimeout(() => this.#show(false), IDLE);
  }

  /** Keep the sample, if the person gave a sign since the last time. One that is lost can't be answered here. */
  async #stay(url) {
    if (!this.#active) return;
    this.#active = false;
    const { status, trouble } = await send(url, {});
    if (status !== 409) return;
    const note = this.querySelector("[data-part=lost]");
    note.querySelector("[data-part=words]").textContent = trouble;
    note.hidden = false;
    for (const button of this.querySelectorAll("button[name=act]")) button.disabled = true;
  }

  get #seconds() {
    return Math.round((this.#before + this.#watch.seconds) * 10) / 10;
  }

  #add(formData) {
    formData.set("seconds", this.#seconds);
    formData.set("zooms", JSON.stringify(this.#recorder?.zooms ?? []));
  }

  #key(event) {
    if (singleKey(event) !== "Enter" || event.repeat || event.target.closest("button, a, summary, .frame__view")) return;
    const form = this.querySelector("form");
    const button = form.querySelector("[data-send]");
    if (!button.disabled) form.requestSubmit(button);
    event.preventDefault();
  }

  /** What this tab recorded of this sample before; that of others is forgotten. */
  #remembered() {
    try {
      for (const name of Object.keys(sessionStorage)) {
        if (name.startsWith(KEPT) && name !== this.#name) sessionStorage.removeItem(name);
      }
      return JSON.parse(sessionStorage.getItem(this.#name)) ?? {};
    } catch {
      return {};
    }
  }

  #remember() {
    try {
      sessionStorage.setItem(this.#name, JSON.stringify({ zooms: this.#recorder?.zooms ?? [], seconds: this.#seconds }));
    } catch {
      // Without a store, a reload begins anew.
    }
  }
}
