import { send, token } from "./review-send.js";
import { WorkTime } from "./work-time.js";

/** How often the seat is renewed while a person works, in milliseconds. */
const RENEWAL = 60_000;

/** The reviewer's seat at a sample: kept while they work, given back when they leave the page. Their time is counted. */
export class ReviewLease {
  #urls;
  #active = false;
  #staying = false;

  /** @param {(sentence: string) => void} lost called back when the seat is another's */
  constructor(urls, lost, signal) {
    this.#urls = urls;
    if (urls.time) new WorkTime(urls.time, signal);
    for (const name of ["keydown", "pointerdown", "wheel"]) {
      document.addEventListener(name, () => (this.#active = true), { passive: true, signal });
    }
    const clock = setInterval(() => this.#renew(lost), RENEWAL);
    signal.addEventListener("abort", () => clearInterval(clock));
    window.addEventListener("pagehide", () => this.#release(), { signal });
  }

  /** The page goes on by itself: there is nothing to give back. */
  goOn() {
    this.#staying = true;
  }

  async #renew(lost) {
    if (!this.#active) return;
    this.#active = false;
    const { status, trouble } = await send(this.#urls.renew, {});
    if (status === 409) lost(trouble);
  }

  #release() {
    if (this.#staying) return;
    const headers = { "Content-Type": "application/json", "X-CSRFToken": token() };
    // The seat runs out by itself where this does not arrive.
    fetch(this.#urls.release, { method: "POST", headers, body: "{}", keepalive: true }).catch(() => {});
  }
}
