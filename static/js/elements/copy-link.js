import { toClipboard } from "../lib/clipboard.js";
import { t } from "../lib/t.js";

const SECONDS = 2.5;

/** <sightline-copy-link><button><span data-words>…</span></button><span role="status" data-said></span>: copies the address of the page as it stands. */
export class SightlineCopyLink extends HTMLElement {
  #timer = null;

  connectedCallback() {
    this.querySelector("button").addEventListener("click", () => this.#copy());
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
  }

  /** Where the clipboard is closed the link still stands in the address bar. */
  async #copy() {
    const [words, said] = [this.querySelector("[data-words]"), this.querySelector("[data-said]")];
    this.dataset.was ??= words.textContent;
    const copied = await toClipboard(location.href);
    words.textContent = copied ? t("Copied") : t("See address bar");
    said.textContent = copied ? t("Link copied") : t("The link is in the address bar");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      words.textContent = this.dataset.was;
      said.textContent = "";
    }, SECONDS * 1000);
  }
}
