import { singleKey } from "../lib/keys.js";
import { showFields } from "./difference.js";
import { ReviewLens } from "./review-lens.js";
import { ReviewSeat } from "./review-seat.js";
import { ReviewStage } from "./review-stage.js";

/**
 * An audit after the blind answer: gold on the picture and in words. The verdict is a plain form.
 * Reads the block "review" (annotation.views.audit_pages).
 */
export class SightlineAudit extends HTMLElement {
  static keys = [
    ["G", "gold"],
    ["F", "whole picture"],
    ["Z", "fly to the evidence"],
  ];

  #stage = null;
  #showsGold = true;
  #ending = null;

  async connectedCallback() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    const { image, content, urls } = JSON.parse(document.getElementById("review").textContent);
    const seat = new ReviewSeat(urls, (sentence) => this.#say(sentence), signal);
    this.querySelector("form").addEventListener("submit", () => seat.goOn(), { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    showFields(this.querySelector("[data-fields]"), content);
    if (!image) return;
    this.#stage = new ReviewStage(this.querySelector(".stage"), image);
    await this.#stage.open(signal);
    this.#stage.draw(content.gold_boxes, [], "");
    new ReviewLens(this.querySelector("[data-lens]"), image).show(content.gold_boxes[0]?.box ?? null);
    this.#stage.flyToEvidence();
  }

  disconnectedCallback() {
    this.#ending?.abort();
  }

  #key(event) {
    const act = {
      g: () => this.#stage?.showGold((this.#showsGold = !this.#showsGold)),
      z: () => this.#stage?.flyToEvidence(),
    }[singleKey(event)];
    if (!act) return;
    event.preventDefault();
    act();
  }

  #say(trouble) {
    const note = this.querySelector("[data-trouble]");
    note.hidden = false;
    note.querySelector("span").textContent = trouble;
  }
}
