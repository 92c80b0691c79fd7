import { newKey, sendJson } from "../lib/request.js";
import { ActiveTime } from "../models/active-time.js";

/** While a person is active, their time is reported so often, in milliseconds, where no draft carries it. */
const EVERY = 30_000;
const ACTIVITY = ["pointerdown", "pointermove", "keydown", "wheel"];

const token = () => document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";

/**
 * Counts the time that a person is active on a page about a sample, and reports it: with drafts (`take`), while they are
 * active, and when they leave or hide the page. It keeps when something was done, never what.
 */
export class WorkTime {
  #url;
  #page = newKey();
  #time = new ActiveTime();
  #reported = Date.now();

  constructor(url, signal) {
    this.#url = url;
    const options = { passive: true, capture: true, signal };
    for (const name of ACTIVITY) document.addEventListener(name, () => this.#act(), options);
    document.addEventListener("visibilitychange", () => document.hidden && this.#leave(), { signal });
    window.addEventListener("pagehide", () => this.#leave(), { signal });
    signal.addEventListener("abort", () => this.#leave());
    // The session begins: nothing before this moment can be reported.
    this.#send([]);
  }

  /** A report to send with something else, or null; `restore` where it did not arrive. */
  take() {
    if (this.#time.isEmpty) return null;
    this.#reported = Date.now();
    const { taken, ago } = this.#time.take(this.#reported);
    return { report: { page: this.#page, spans: ago }, restore: () => this.#time.restore(taken) };
  }

  #act() {
    const now = Date.now();
    this.#time.act(now);
    if (now - this.#reported < EVERY) return;
    const { report, restore } = this.take();
    this.#send(report.spans).then((arrived) => arrived || restore());
  }

  /** Whether the report arrived. */
  async #send(spans) {
    try {
      const { status } = await sendJson("POST", this.#url, { page: this.#page, spans }, { token: token() });
      // What the server refuses once it refuses again.
      return status < 500 && status !== 429 && status !== 401;
    } catch {
      return false;
    }
  }

  #leave() {
    this.#time.hide(Date.now());
    const due = this.take();
    if (!due) return;
    const body = new FormData();
    body.append("csrfmiddlewaretoken", token());
    body.append("report", JSON.stringify(due.report));
    if (!navigator.sendBeacon(this.#url, body)) due.restore();
  }
}
