import { newKey } from "../lib/request.js";
import { t } from "../lib/t.js";

/** A submission that can be taken back: its banner, until the time is over. Both acts show the sample as it then is. */
export class TakeBack {
  #banner;
  #send;

  /** @param {{until: string}|null} held  @param {Function} send (method, url, body, key) */
  constructor(root, held, urls, send, signal) {
    this.#banner = root.querySelector("[data-part=take-back]");
    this.#send = send;
    if (!held || !this.#banner) return;
    for (const [name, url] of [["take-back", urls.take_back], ["hand-in", urls.hand_in]]) {
      this.#banner.querySelector(`[data-act=${name}]`).addEventListener("click", () => this.#act(url), { signal });
    }
    const timer = setTimeout(() => (this.#banner.hidden = true), Math.max(0, new Date(held.until) - Date.now()));
    signal.addEventListener("abort", () => clearTimeout(timer));
  }

  async #act(url) {
    const say = (words) => (this.#banner.querySelector("[data-part=problem]").textContent = words);
    try {
      const { status, data } = await this.#send("POST", url, {}, newKey());
      if (status < 300) location.reload();
      else say(data.error?.message ?? t("The server returned an error (%(status)s). Try again.", { status }));
    } catch {
      say(t("No response from the server. Try again."));
    }
  }
}
