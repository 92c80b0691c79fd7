import { showFields } from "./difference.js";
import { OwnTable } from "./own-table.js";
import { ReviewLens } from "./review-lens.js";
import { ReviewLease } from "./review-lease.js";
import { ReviewStage } from "./review-stage.js";

/**
 * An audit after the blind answer: gold on the image and in words. The verdict is a plain form.
 * Reads the block "review" (annotation.quality.views.auditing).
 */
export class SightlineAudit extends HTMLElement {
  #keys;
  #stage = null;
  #showsGold = true;
  #ending = null;

  async connectedCallback() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    const { image, content, urls, keys } = JSON.parse(document.getElementById("review").textContent);
    this.#keys = new OwnTable(keys);
    this.#keys.show(this);
    const seat = new ReviewLease(urls, (sentence) => this.#say(sentence), signal);
    this.querySelector("form").addEventListener("submit", () => seat.goOn(), { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    showFields(this.querySelector("[data-fields]"), content);
    if (!image) return;
    this.#stage = new ReviewStage(this.querySelector(".stage"), image);
    await this.#stage.open(signal);
    this.#stage.draw(content.gold_boxes);
    new ReviewLens(this.querySelector("[data-lens]"), image).show(content.gold_boxes[0] ?? null);
    this.#stage.flyToEvidence();
  }

  /** For the list of keys. */
  get keys() {
    return this.#keys?.rowsOn(this, this.#acts) ?? [];
  }

  disconnectedCallback() {
    this.#ending?.abort();
  }

  #key(event) {
    this.#keys.press(event, this, this.#acts);
  }

  get #acts() {
    const stage = this.#stage;
    return stage ? { gold: () => stage.showGold((this.#showsGold = !this.#showsGold)), evidence: () => stage.flyToEvidence() } : {};
  }

  #say(trouble) {
    const note = this.querySelector("[data-trouble]");
    note.hidden = false;
    note.querySelector("span").textContent = trouble;
  }
}
