import { singleKey } from "../lib/keys.js";
import { t } from "../lib/t.js";

/**
 * Evidence frames of one image that move together: what the frame under the pointer shows, the others show too.
 *
 *   <sightline-frames>… <sightline-frame>…</sightline-frame> …</sightline-frames> <output data-frames-words></output>
 */
export class SightlineFrames extends HTMLElement {
  #together = true;
  #leader = null;
  #ending = null;

  connectedCallback() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    for (const name of ["pointerover", "pointerdown", "focusin"]) {
      this.addEventListener(name, ({ target }) => this.#lead(target), { signal });
    }
    this.addEventListener("framemove", ({ target, detail }) => this.#follow(target, detail.seen), { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    this.#say();
  }

  /** For the list of keys. */
  get keys() {
    return this.#frames.length > 1 ? [["S", t("move the frames together, or each by itself")]] : [];
  }

  disconnectedCallback() {
    this.#ending?.abort();
  }

  get #frames() {
    return [...this.querySelectorAll("sightline-frame")];
  }

  #lead(target) {
    this.#leader = target.closest("sightline-frame") ?? this.#leader;
  }

  /** Only the frame in hand leads; the others would answer its move with their own. */
  #follow(moved, seen) {
    if (!this.#together || !seen || moved !== (this.#leader ?? this.#frames[0])) return;
    for (const frame of this.#frames) if (frame !== moved) frame.lookAt(seen);
  }

  #key(event) {
    if (singleKey(event) !== "s") return;
    event.preventDefault();
    this.#together = !this.#together;
    this.#say();
  }

  #say() {
    const words = document.querySelector("[data-frames-words]");
    if (words) words.value = this.#together ? t("views move together") : t("each view by itself");
  }
}
