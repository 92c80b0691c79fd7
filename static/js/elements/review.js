import { newKey } from "../lib/request.js";
import { t } from "../lib/t.js";
import { completed, same } from "../models/draft.js";
import { Review } from "../models/review.js";
import { Comments } from "./comments.js";
import { showDifference, showFields } from "./difference.js";
import { OwnTable } from "./own-table.js";
import { ReviewFoot } from "./review-foot.js";
import { ReviewLens } from "./review-lens.js";
import { listenForReport } from "./report.js";
import { ReviewLease } from "./review-lease.js";
import { send } from "./review-send.js";
import { listenForSkip } from "./review-skip.js";
import { SampleEditor } from "./sample-editor.js";
import { Checks } from "./studio-checks.js";
import { StudioKeys } from "./studio-keys.js";

/**
 * A review after the blind answer: what changed, comments, reasons and the decision. A reviewer who fixes the sample has
 * the annotator's editor and its keys.
 * Reads the block "review" (annotation.review.present.reviews). What is typed stays in the browser until the server has it.
 */
export class SightlineReview extends HTMLElement {
  #data;
  #keys;
  #editorKeys;
  #review;
  #editor;
  #checks;
  #lens = null;
  #comments;
  #isFixing = false;
  #ending = null;
  #seat;
  #attempt = newKey();

  async connectedCallback() {
    this.#data = JSON.parse(document.getElementById("review").textContent);
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    this.#keys = new OwnTable(this.#data.keys);
    this.#editorKeys = new StudioKeys(this.#data.editor_keys);
    const kept = this.#kept();
    this.#review = new Review(kept);
    this.#build(kept.content, signal);
    this.#review.addEventListener("change", () => this.#changed(), { signal });
    new ReviewFoot(this, this.#review, { decide: () => this.#decide(), leave: () => this.#leave() }, signal);
    this.#seat = new ReviewLease(this.#data.urls, (sentence) => this.#review.failed(sentence), signal);
    listenForSkip(this.#data.urls, this.#seat, signal);
    listenForReport(signal);
    this.#showContent(this.#data.content, this.#data.previous);
    document.addEventListener("keydown", (event) => this.#key(event), { signal, capture: true });
    this.#keys.show(this);
    this.#showKeys();
    await this.#editor.open(signal, () => this.#editor.toEvidence());
  }

  #build(kept, signal) {
    const { image, content, previous, previous_revision: earlier, facets, task, bank, checks } = this.#data;
    const old = previous?.gold_boxes;
    this.#editor = new SampleEditor(this, completed(content), { image, facets, task, bank, old, oldTag: `r${earlier?.number ?? ""}` }, signal);
    this.#editor.addEventListener("change", () => this.#edited(), { signal });
    this.#checks = new Checks(this.querySelector("[data-fix]"), (element) => this.#editor.reveal(element));
    this.#checks.show(checks);
    if (kept) this.#editor.change(completed(kept));
    this.#editor.read(completed(content));
    this.#comments = new Comments(this.querySelector("[data-comments]"), this.#editor.canvas?.places ?? null, signal, image?.sha);
    if (!image) return;
    this.#lens = new ReviewLens(this.querySelector("[data-lens]"), image);
    this.#lens.show(content.gold_boxes[0] ?? null);
  }

  /** For the list of keys. */
  get keys() {
    if (!this.#editor) return [];
    const back = ["Esc", t("back to the four decisions")];
    if (!this.#isFixing) return [...this.#keys.rowsOn(this, this.#acts), back];
    return [...this.#editorKeys.rowsWith({ image: Boolean(this.#editor.canvas), suggestions: false, discussion: false }), back];
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
    const { content } = this.#editor;
    const fixed = same(content, completed(this.#data.content)) ? undefined : content;
    try {
      localStorage.setItem(this.#place, JSON.stringify({ ...this.#review.kept, content: fixed }));
    } catch (error) {
      // A full or closed store keeps nothing for later; the page itself still has it.
      console.warn(error.message);
    }
  }

  #edited() {
    this.#keep();
    this.#checks.outdate(Object.keys(this.#editor.content).filter((name) => !same(this.#editor.content[name], this.#data.content[name])));
  }

  #changed() {
    this.#keep();
    const fixes = this.#review.decision === "fix_and_accept";
    if (fixes !== this.#isFixing) this.#fix(fixes);
  }

  /** Edit, or read the revision as it was submitted: what is accepted is what is shown. */
  #fix(on) {
    this.#isFixing = on;
    this.querySelector("[data-fix]").hidden = !on;
    this.querySelector("[data-read]").hidden = on;
    this.#showKeys();
    if (!on) return this.#editor.read(completed(this.#data.content));
    this.#comments.stop();
    this.#editor.edit();
    this.#editor.focusQuestion();
  }

  /** On the stage, and in the form, the keys that work now. */
  #showKeys() {
    const stage = this.querySelector(".stage");
    if (this.#isFixing) this.#editorKeys.showAlone(stage);
    else this.#keys.showAlone(stage, { boxes: "gold" });
    this.#editorKeys.show(this.querySelector("[data-fix]"));
  }

  #key(event) {
    if (document.querySelector("dialog[open]") || event.defaultPrevented || event.isComposing) return;
    if (event.target.closest("[data-comments] form")) return;
    if (!(this.#isFixing ? this.#fixKey(event) : this.#readKey(event))) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Whether the key did something while the sample is fixed: it is one of the annotator's. */
  #fixKey(event) {
    if (this.#editor.keyOfDraft(event)) return true;
    const [asked, ...values] = this.#editorKeys.asked(event) ?? ["none"];
    // The discussion is put away meanwhile.
    const name = asked === "comment" ? "none" : asked;
    if (this.#editor.typed(event, name)) return true;
    if (name === "submit") this.#decide();
    else if (name !== "none" && this.#editor.act(name, values, event) !== false) return true;
    else if (name === "escape") this.#leave();
    else {
      this.#editor.begin(event);
      return false;
    }
    return true;
  }

  #readKey(event) {
    if (this.#comments.takes(event.key)) return true;
    if (event.key === "Escape") {
      this.#leave();
      return true;
    }
    this.#keys.press(event, this, this.#acts);
    return event.defaultPrevented;
  }

  get #acts() {
    const { canvas } = this.#editor;
    const seen = canvas && { gold: () => (canvas.showsBoxes = !canvas.showsBoxes), evidence: () => canvas.toEvidence(), fit: () => canvas.fit() };
    return { ...seen, comment: () => this.#comments.begin(), confirm: () => this.#decide() };
  }

  /** Back to the four decisions; what was typed stays. */
  #leave() {
    this.#review.choose(null);
    if (document.activeElement !== document.body) document.activeElement.blur();
  }

  async #decide() {
    if (this.#isFixing) this.#editor.settle();
    const body = this.#review.begin(this.#editor.content);
    if (!body) return;
    const { ok, data, trouble } = await send(this.#data.urls.decide, { ...body, image: this.#data.image_sha256 }, this.#attempt);
    if (!ok) {
      this.#review.failed(trouble);
      if (data.checks) this.#checks.show(data.checks);
      if (data.checks) this.#checks.visit();
      return;
    }
    localStorage.removeItem(this.#place);
    this.#seat.goOn();
    location.assign(data.next ?? this.#data.urls.queue);
  }
}
