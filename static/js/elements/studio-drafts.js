import { t, tn } from "../lib/t.js";
import { chainWords } from "../models/chain.js";
import { accepted, holds, isAcceptable, isEmpty } from "../models/drafts.js";
import { FrameMarks } from "./frame-marks.js";
import { pinAt } from "./stage-places.js";

/** Where the keys of a draft are heard: the fields of the form that it is about. */
const PLACES = {
  question: "[data-part=question]",
  options: "[data-part=options]",
  answer: "[data-part=options], [data-part=accepted]",
  boxes: "[data-part=boxes]",
  toolchain: "[data-draft=toolchain]",
  targets: "[data-part=targets]",
  distractors: "[data-part=distractors]",
};

/** What a detector said of a box: its label and score, or "". */
const found = ({ label, score }) => [label, typeof score === "number" ? score.toFixed(2) : ""].filter(Boolean).join(" ");

/** Where the focus goes after a decision with a button. */
const AFTER = {
  question: "[data-part=question]",
  options: "[data-part=options] .input",
  answer: "[data-part=options] input:checked, [data-part=options] .input, [data-part=accepted]",
  boxes: "[data-act=add-box]",
  toolchain: "#chain-json",
  targets: "[data-part=find]",
  distractors: "[data-part=find]",
};

/**
 * What models drafted for a sample: gray in its field, boxes dotted on the stage, each with its source. Tab accepts the
 * draft of the field with the focus while the field is empty, Escape dismisses it. What was decided is read by `decisions`.
 */
export class Drafts {
  #root;
  #all;
  #size;
  #canvas;
  #edit;
  #marks = null;
  #content = null;
  #decided = new Map();
  #dismissed;

  /**
   * @param {HTMLElement} root  @param {{field: string, content: any, source: string}[]} all
   * @param {Dismissed} [dismissed] what was dismissed on another page of this sample
   */
  constructor(root, all, size, canvas, edit, dismissed) {
    this.#root = root;
    this.#dismissed = dismissed;
    for (const field of dismissed?.fields ?? []) this.#decided.set(field, "dismissed");
    this.#all = all.filter(({ field }) => field !== "boxes" || canvas);
    this.#size = size;
    this.#canvas = canvas;
    this.#edit = edit;
    const boxes = this.#all.find(({ field }) => field === "boxes");
    if (boxes) {
      this.#marks = new FrameMarks(boxes.content.map((one) => ({ kind: "drafted", box: one.box, points: one.points, turn: null, tag: "", name: [found(one), boxes.source].filter(Boolean).join(", ") })));
      canvas.lay(this.#marks);
    }
    for (const one of this.#all) this.#write(one);
    if (this.#all.length) root.addEventListener("click", ({ target }) => this.#clicked(target));
  }

  /** What the person decided, by field, for the submission. */
  get decisions() {
    return Object.fromEntries(this.#all.map(({ field }) => [field, this.#decided.get(field) ?? "left"]));
  }

  show(content) {
    this.#content = content;
    for (const one of this.#all) {
      // Undoing an acceptance brings the draft back.
      if (this.#decided.get(one.field) === "accepted" && !holds(one, content) && isEmpty(one.field, content)) this.#decided.delete(one.field);
      else if (!this.#decided.has(one.field) && holds(one, content)) this.#decided.set(one.field, "accepted");
      const open = this.#isOpen(one);
      this.#place(one.field).hidden = !open;
      this.#place(one.field).querySelector("[data-draft-act=accept]").disabled = !isAcceptable(one, content);
      if (one.field === "question") this.#showInField(one, open, content);
    }
    const boxes = this.#all.find(({ field }) => field === "boxes");
    if (boxes) {
      this.#marks.keep(() => this.#isOpen(boxes));
      this.#canvas.places.show("drafts", this.#isOpen(boxes) ? boxes.content.map((one, at) => this.#pin(boxes, one, at)) : []);
    }
  }

  /** The draft is gray in the field itself while nothing else is there. */
  #showInField(one, open, content) {
    this.#root.querySelector(PLACES.question).placeholder = open ? one.content : "";
    this.#place(one.field).querySelector("[data-part=draft-text]").hidden = isEmpty(one.field, content);
  }

  /** Take Tab or Escape in a field with an open draft; true when it did something. */
  key(event) {
    if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey || !["Tab", "Escape"].includes(event.key)) return false;
    const here = this.#all.filter((draft) => this.#isOpen(draft) && this.#isAt(draft.field, event.target));
    if (event.key === "Escape") return here.length > 0 && this.#dismiss(here[0]);
    const one = here.find(({ field }) => isEmpty(field, this.#content));
    return one !== undefined && this.#accept(one);
  }

  #isOpen({ field }) {
    return !this.#decided.has(field);
  }

  #isAt(field, target) {
    return Boolean(target.closest?.(PLACES[field]) || target.closest?.(`[data-draft="${field}"]`));
  }

  #place(field) {
    return this.#root.querySelector(`[data-draft="${field}"]`);
  }

  #pin(draft, one, at) {
    const { box } = one;
    const name = [`D${at + 1}`, found(one)].filter(Boolean).join(" ");
    const said = t("Accept %(name)s, draft by %(source)s", { name, source: draft.source });
    return pinAt({ x: box[2], y: box[1] }, "pin--suggested", name, said, () => this.#accept(draft));
  }

  #accept(one) {
    if (!isAcceptable(one, this.#content)) return false;
    const inside = this.#place(one.field).contains(document.activeElement);
    this.#decided.set(one.field, "accepted");
    this.#edit((content) => accepted(one, content, this.#size));
    if (inside) this.#leave(one.field);
    return true;
  }

  #dismiss(one) {
    const inside = this.#place(one.field).contains(document.activeElement);
    this.#decided.set(one.field, "dismissed");
    this.#dismissed?.add(one.field);
    this.show(this.#content);
    if (inside) this.#leave(one.field);
    return true;
  }

  /** The button that had the focus is gone. */
  #leave(field) {
    [...this.#root.querySelectorAll(AFTER[field])].find((one) => one.checkVisibility())?.focus();
  }

  #clicked(target) {
    const button = target.closest("[data-draft-act]");
    const one = button && this.#all.find(({ field }) => this.#place(field).contains(button));
    if (!one) return;
    if (button.dataset.draftAct === "accept") this.#accept(one);
    else this.#dismiss(one);
  }

  #write({ field, content, source }) {
    const place = this.#place(field);
    const part = (name) => place.querySelector(`[data-part=${name}]`);
    const texts = {
      question: () => content,
      answer: () => content,
      options: () => Object.entries(content).map(([letter, text]) => `${letter} ${text}`).join(" · "),
      boxes: () => [content.some(({ points }) => points) ? tn("%(count)s dotted shape", "%(count)s dotted shapes", content.length, { count: content.length }) : tn("%(count)s dotted box", "%(count)s dotted boxes", content.length, { count: content.length }), ...content.map(found).filter(Boolean)].join(" · "),
      toolchain: () => chainWords(content),
      targets: () => content.map(({ tool, step }) => `${step} ${tool}`).join(" · "),
      distractors: () => content.join(" · "),
    };
    const names = { question: t("question"), options: t("options"), answer: t("answer"), boxes: t("boxes"), toolchain: t("toolchain"), targets: t("targets"), distractors: t("distractors") };
    part("draft-text").textContent = texts[field]();
    part("draft-source").textContent = t("Draft by %(source)s", { source });
    for (const name of ["draft-accept", "draft-dismiss"]) part(name).textContent = ` ${t("draft of the %(field)s", { field: names[field] })}`;
  }
}
