import { same } from "../models/draft.js";
import { History } from "../models/history.js";
import { ToolBank } from "../models/tool-bank.js";
import { Typing } from "../models/typing.js";
import { isTyping } from "../lib/keys.js";
import { ChainEditor } from "./chain-editor.js";
import { FacetEditor } from "./studio-facets.js";
import { OptionsEditor } from "./options-editor.js";
import { PlanEditor } from "./plan-editor.js";
import { QuestionField } from "./question-field.js";
import { StudioBoxes } from "./studio-canvas.js";
import { DRAWING, ShapeFromClick } from "./studio-click.js";
import { Drafts } from "./studio-drafts.js";
import { Suggestions } from "./studio-suggestions.js";
import { Tabs } from "./studio-tabs.js";
import { Unanswerable } from "./unanswerable.js";

/** The panels of the form. */
const FORM = "[data-form]";
const TEXTS = "textarea, input:not([type]), input[type=text], input[type=number]";
const OTHERS = "button, select, input[type=radio], input[type=checkbox]";

/**
 * The editor of a sample's content: the boxes on the stage and the panels of the form, [data-form], with one history of every change.
 * The annotator's studio and the reviewer's fix are this editor. Says "change" when the content is another.
 *
 * While something is only read, `read` shows it and nothing can be changed.
 */
export class SampleEditor extends EventTarget {
  #root;
  #history;
  #boxes;
  #suggestions;
  #drafts;
  /** What asks a model for the shape at a point; null where nothing does. */
  #click = null;
  #tabs;
  #question;
  #facets;
  #plan;
  #parts;
  #reading = null;
  /** The question, answer type and options where another annotator fixed them; else null. */
  #fixed = null;
  /** The page is sent with fields that take nothing yet: what was typed before the script runs would be overwritten. */
  #wasReading = true;
  #typing = new Typing();

  /**
   * @param {HTMLElement} root holds .stage, [data-form] and the rows to copy  @param {object} content to begin with
   * @param {object} data image, facets, task, bank, suggestions, drafts; dismissed: drafted fields that were dismissed before; old: boxes of an earlier revision, drawn under the tag oldTag;
   * fixed: the question and its options are another annotator's; click: the address that proposes a shape for a point, or null
   */
  constructor(root, content, { image, facets, task, bank, suggestions = [], drafts = [], dismissed, old = [], oldTag = "", fixed = false, click = null }, signal) {
    super();
    this.#root = root;
    this.#history = new History(content);
    const { question, answer_type, options: asked } = content;
    this.#fixed = fixed ? { question, answer_type, options: asked } : null;
    const kept = (changed) => (this.#fixed ? { ...changed, ...this.#fixed } : changed);
    const edit = (change, kind) => this.#reading || this.#history.change(kept(change(this.#history.state)), kind);
    const part = (name) => root.querySelector(`[data-part="${name}"]`);
    this.#boxes = image && new StudioBoxes(root, image, edit, () => this.#show(), { old, tag: oldTag, shapes: task.shapes ?? ["box"] });
    this.#suggestions = this.#boxes && new Suggestions(part("suggestions"), suggestions, image, this.#boxes.canvas, edit);
    this.#drafts = new Drafts(root, drafts, image, this.#boxes?.canvas ?? null, edit, dismissed);
    if (click && this.#boxes) this.#click = new ShapeFromClick(root, { url: click, size: image, image: image.sha, canvas: this.#boxes.canvas, edit, again: () => this.#show(), signal });
    const options = new OptionsEditor(part("answering"), edit);
    this.#tabs = new Tabs(root.querySelector("[role=tablist]"));
    const reveal = (element) => this.reveal(element);
    this.#question = new QuestionField(part("question"), edit, { next: (other) => options.focus(other), reveal });
    const ways = { reveal, next: () => this.#question.focus() };
    this.#plan = new PlanEditor(part("plan"), new ToolBank(bank), edit, image, ways);
    this.#facets = new FacetEditor(part("facets"), { known: facets, fields: task.facets }, edit, ways);
    this.#parts = [options, this.#facets, this.#plan, new ChainEditor(part("chain"), edit), this.#question, this.#drafts];
    const unanswerable = part("unanswerable");
    if (unanswerable) this.#parts.push(new Unanswerable(unanswerable, edit));
    this.#history.addEventListener("change", () => this.#changed());
    root.addEventListener("pointerdown", () => this.#typing.reset(), { signal });
    for (const name of ["undo", "redo"]) root.querySelector(`[data-tool=${name}]`)?.addEventListener("click", () => this.#history[name](), { signal });
  }

  /** The content with every change, also while something else is read. */
  get content() {
    return this.#history.state;
  }

  /** The stage, for what else is shown on it; null without an image. */
  get canvas() {
    return this.#boxes?.canvas ?? null;
  }

  get isReadOnly() {
    return this.#reading !== null;
  }

  /** Load the image and show everything; `ready` is called once the image can be moved. */
  async open(signal, ready = () => {}) {
    this.#show();
    await this.#boxes?.open(signal, ready);
  }

  /** Go on to a content, as one step that can be undone. */
  change(content) {
    if (!same(content, this.content)) this.#history.change(content);
  }

  /** Show this content, and take no change. */
  read(content = this.content) {
    this.#reading = content;
    this.#show();
  }

  /** Show what is edited, and take changes. */
  edit() {
    this.#reading = null;
    this.#show();
  }

  /** What is still being typed counts as typed: a number of a box, a facet, a tool. */
  settle() {
    const { activeElement: field } = document;
    if (field.closest(FORM)) field.dispatchEvent(new Event("change", { bubbles: true }));
    for (const part of this.#parts) part.settle?.();
  }

  /** Show the panel that an element lies on. */
  reveal(element) {
    this.#tabs.reveal(element);
  }

  /** What the person decided on drafts of models, by field. */
  get decisions() {
    return this.#drafts.decisions;
  }

  /** What the person decided on shapes from clicks, by their number. */
  get clicks() {
    return this.#click?.decisions ?? {};
  }

  /** The next press on the image is for something else. */
  leaveClick() {
    this.#click?.stop();
  }

  /** Let a polygon that is begun, and then drafts, have a key before everything else; true when one took it. */
  keyOfDraft(event) {
    if (!this.isReadOnly && !isTyping(event.target) && this.#boxes?.sketched(event)) return true;
    return !this.isReadOnly && (this.#click?.key(event) || this.#drafts.key(event));
  }

  focusQuestion() {
    this.#question.focus();
  }

  toEvidence() {
    this.#boxes?.canvas.toEvidence();
  }

  /** Do what a key asks, as [name, …values] of StudioKeys; false when it asks nothing of the editor. */
  act(name, values, event) {
    const changing = {
      undo: () => this.#history.undo(),
      redo: () => this.#history.redo(),
      facet: () => this.#facets.key(...values),
      "add-facet": () => this.#facets.begin(),
      plan: () => this.#plan.begin(),
      click: () => this.#click?.begin(),
    }[name];
    if (changing) return this.isReadOnly ? false : changing();
    if (DRAWING.has(name) && this.#click?.stop()) return this.#boxes.choose(name);
    if (name === "escape" && this.#leave(event)) return true;
    return this.#suggestions?.act(name) ?? this.#boxes?.act(name, values, event) ?? false;
  }

  /**
   * Take a key that may belong to a sentence rather than be a command; true when it did, and the question has it.
   * @param {string} name what the key asks for, or "none"
   */
  typed(event, name) {
    if (this.isReadOnly || this.#fixed) return false;
    const inField = isTyping(event.target);
    if (inField && !event.target.closest(FORM)) return false;
    const isCommand = name !== "none" && !(this.#suggestions?.isEmpty && this.#suggestions.knows(name));
    const found = this.#typing.press(event, { isCommand, inField, mark: () => this.#mark });
    if (!found) return false;
    if (found.inField) this.#takeBack(event.target, found.inField);
    this.#goBack(found.mark);
    this.#question.write(found.text);
    return true;
  }

  /** Begin the question with a key that is no command; see QuestionField. */
  begin(event) {
    if (!this.isReadOnly) this.#question.begin(event);
  }

  /** Escape leaves a field first; what the field is for has Escape before it, as a list that is open. */
  #leave({ target }) {
    if (!target.closest(FORM) || !target.matches("input, textarea, select, button, a")) return false;
    if (target.getAttribute("aria-expanded") === "true") return false;
    target.blur();
    return true;
  }

  get #mark() {
    return { history: this.#history.mark, looking: this.#boxes?.mark, tab: this.#tabs.current };
  }

  #goBack({ history, looking, tab }) {
    this.#history.rewind(history);
    this.#boxes?.goBack(looking);
    this.#tabs.choose(tab);
  }

  #takeBack(field, count) {
    field.value = field.value.slice(0, -count);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  #changed() {
    this.#show();
    this.dispatchEvent(new Event("change"));
  }

  #show() {
    const content = this.#reading ?? this.content;
    for (const part of this.#parts) part.show(content);
    if (this.canvas) this.canvas.isReadOnly = this.isReadOnly;
    this.#boxes?.show(content);
    this.#suggestions?.show(content);
    this.#click?.show(content);
    const { targets, distractors } = content;
    const counts = {
      boxes: content.gold_boxes.length || "",
      chain: content.reference_toolchain.length || "",
      plan: targets.length + distractors.length ? `${targets.length} + ${distractors.length}` : "",
    };
    for (const [name, count] of Object.entries(counts)) this.#root.querySelector(`[data-part=${name}-n]`).textContent = count;
    for (const [name, can] of [["undo", this.#history.canUndo], ["redo", this.#history.canRedo]]) {
      const button = this.#root.querySelector(`[data-tool=${name}]`);
      if (button) button.disabled = !can || this.isReadOnly;
    }
    this.#showReadOnly();
    if (this.#fixed) this.#showFixed();
  }

  /** Only the answer can be chosen. */
  #showFixed() {
    for (const field of this.#root.querySelectorAll("[data-part=question], [data-part=options] .input")) field.readOnly = true;
    for (const button of this.#root.querySelectorAll("[name=answer_type], [data-part=choice] [data-act]")) button.disabled = true;
  }

  /** Texts can still be chosen and copied; what only changes something is off. */
  #showReadOnly() {
    const on = this.isReadOnly;
    if (!on && !this.#wasReading) return;
    this.#wasReading = on;
    for (const form of this.#root.querySelectorAll(FORM)) {
      for (const field of form.querySelectorAll(TEXTS)) field.readOnly = on;
      for (const field of form.querySelectorAll(OTHERS)) field.disabled = on;
    }
    // What is off for another reason is told again.
    if (!on) for (const part of this.#parts) part.show(this.content);
  }
}
