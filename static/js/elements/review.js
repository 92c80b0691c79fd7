import { newKey } from "../lib/request.js";
import { movedBoxes } from "../models/difference-fields.js";
import { Review } from "../models/review.js";
import { Comments } from "./comments.js";
import { showDifference, showFields } from "./difference.js";
import { OwnTable } from "./own-table.js";
import { ReviewFix } from "./review-fix.js";
import { ReviewFoot } from "./review-foot.js";
import { ReviewLens } from "./review-lens.js";
import { ReviewSeat } from "./review-seat.js";
import { send } from "./review-send.js";
import { ReviewStage } from "./review-stage.js";

/**
 * A review after the blind answer: what changed, comments, reasons and the decision.
 * Reads the block "review" (annotation.views.review_context). What is typed stays in the browser until the server has it.
 */
export class SightlineReview extends HTMLElement {
  #data;
  #keys;
  #review;
  #stage = null;
  #lens = null;
  #comments;
  #fix = null;
  #fixed;
  #showsGold = true;
  #ending = null;
  #seat;
  #attempt = newKey();

  async connectedCallback() {
    this.#data = JSON.parse(document.getElementById("review").textContent);
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    const { image, content, previous } = this.#data;
    this.#keys = new OwnTable(this.#data.keys);
    this.#keys.show(this);
    const kept = this.#kept();
    this.#fixed = kept.content ?? content;
    this.#review = new Review(kept);
    this.#review.addEventListener("change", () => this.#changed(), { signal });
    if (image) {
      this.#stage = new ReviewStage(this.querySelector(".stage"), image);
      this.#lens = new ReviewLens(this.querySelector("[data-lens]"), image);
    }
    this.#comments = new Comments(this.querySelector("[data-comments]"), this.#stage?.places ?? null, signal);
    new ReviewFoot(this, this.#review, { decide: () => this.#decide(), leave: () => this.#leave() }, signal);
    this.#seat = new ReviewSeat(this.#data.urls, (sentence) => this.#review.failed(sentence), signal);
    this.#showContent(content, previous);
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    this.addEventListener("click", (event) => this.#click(event), { signal });
    await this.#stage?.open(signal);
    this.#draw();
    this.#stage?.flyToEvidence();
  }

  /** For the list of keys. */
  get keys() {
    return [...(this.#keys?.rowsOn(this, this.#acts) ?? []), ["Esc", "back to the four decisions"]];
  }

  disconnectedCallback() {
    this.#ending?.abort();
  }

  get #place() {
    return `review ${this.#data.urls.decide} ${this.#data.revision.number}`;
  }

  #kept() {
    try {
      return JSON.parse(localStorage.getItem(this.#place)) ?? {};
    } catch (error) {
      console.warn(error.message);
      return {};
    }
  }

  #showContent(content, previous) {
    showFields(this.querySelector("[data-fields]"), content);
    const list = this.querySelector("[data-difference]");
    if (!list || !previous) return;
    this.querySelector("[data-count]").textContent = showDifference(list, previous, content);
  }

  #keep() {
    try {
      localStorage.setItem(this.#place, JSON.stringify({ ...this.#review.kept, content: this.#fix?.content }));
    } catch (error) {
      // A full or closed store keeps nothing for later; the page itself still has it.
      console.warn(error.message);
    }
  }

  #changed() {
    this.#keep();
    const fixing = this.#review.decision === "fix_and_accept";
    if (fixing) this.#beginFix();
    this.querySelector("[data-fix]").hidden = !fixing;
    this.querySelector("[data-read]").hidden = fixing;
  }

  #beginFix() {
    if (this.#fix) return;
    const form = this.querySelector("[data-fix]");
    this.#fix = new ReviewFix(form, this.#fixed, this.#data.image, () => {
      this.#keep();
      this.#draw();
    });
    this.#stage?.edit({ changed: (at, box) => this.#fix.moved(at, box), drawn: (box) => this.#fix.drawn(box) });
    this.#draw();
    form.hidden = false;
    form.elements.question.focus();
  }

  #draw() {
    const { content, previous } = this.#data;
    const now = this.#fix?.content ?? content;
    const old = previous ? movedBoxes(previous, now) : [];
    this.#stage?.draw(now.gold_boxes, old, `r${this.#data.previous_revision?.number ?? ""}`);
    this.#lens?.show(now.gold_boxes[0]?.box ?? null);
  }

  #click({ target }) {
    if (target.closest("[data-draw]") && this.#review.decision === "fix_and_accept") this.#stage?.drawBox();
  }

  #key(event) {
    if (document.querySelector("dialog[open]") || event.defaultPrevented) return;
    if (this.#comments.takes(event.key)) {
      event.preventDefault();
      return;
    }
    if (event.key === "Escape") {
      event.preventDefault();
      this.#leave();
      return;
    }
    this.#keys.press(event, this, this.#acts);
  }

  get #acts() {
    const stage = this.#stage;
    const seen = stage && { gold: () => stage.showGold((this.#showsGold = !this.#showsGold)), evidence: () => stage.flyToEvidence() };
    return { ...seen, confirm: () => this.#decide() };
  }

  /** Back to the four decisions; what was typed stays. */
  #leave() {
    this.#review.choose(null);
    if (document.activeElement !== document.body) document.activeElement.blur();
  }

  async #decide() {
    const body = this.#review.begin(this.#fix?.content ?? this.#data.content);
    if (!body) return;
    const { ok, data, trouble } = await send(this.#data.urls.decide, body, this.#attempt);
    if (!ok) {
      this.#review.failed(trouble);
      return;
    }
    localStorage.removeItem(this.#place);
    this.#seat.goOn();
    location.assign(data.next ?? this.#data.urls.queue);
  }
}
