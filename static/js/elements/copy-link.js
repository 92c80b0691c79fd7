import { toClipboard } from "../lib/clipboard.js";

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
    words.textContent = (await toClipboard(location.href)) ? "Copied" : "See address bar";
    said.textContent = words.textContent === "Copied" ? "Link copied" : "The link is in the address bar";
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      words.textContent = this.dataset.was;
      said.textContent = "";
    }, SECONDS * 1000);
  }
}
