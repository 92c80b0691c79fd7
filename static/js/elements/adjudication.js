import { newKey } from "../lib/request.js";
import { t } from "../lib/t.js";
import { isTyping } from "../lib/keys.js";
import { answering, choices, chosen, lacksBoxes, sameAs, take, takeGroup, wholeOf, words } from "../models/adjudication.js";
import { completed } from "../models/draft.js";
import { AdjudicationFoot } from "./adjudication-foot.js";
import { FrameMarks } from "./frame-marks.js";
import { OwnTable } from "./own-table.js";
import { listenForReport } from "./report.js";
import { ReviewLease } from "./review-lease.js";
import { send } from "./review-send.js";
import { listenForSkip } from "./review-skip.js";
import { copied } from "./rows.js";
import { SampleEditor } from "./sample-editor.js";
import { Checks } from "./studio-checks.js";
import { StudioKeys } from "./studio-keys.js";

const CHOICE = ":is([data-read], [data-people]) .chip[aria-pressed=true]";
const DIGIT = /^Digit([0-9])$/;

/**
 * Several annotations of a sample: all their boxes on one stage, a choice for each field, and the gold that is made of
 * them. The editor holds that gold, so that every choice can be undone, and what is accepted is what is shown.
 * Reads the block "review" (annotation.review.present.adjudication).
 */
export class SightlineAdjudication extends HTMLElement {
  #data;
  #keys;
  #editorKeys;
  #editor;
  #checks;
  #foot;
  #marks = null;
  #seat;
  #ways;
  #editing = false;
  #ending = null;
  #attempt = newKey();

  async connectedCallback() {
    this.#data = JSON.parse(document.getElementById("review").textContent);
    this.#ways = JSON.parse(document.getElementById("ways").textContent);
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    const { annotations, content, facets, task, bank, image, keys, editor_keys: editorKeys, urls, checks } = this.#data;
    for (const one of annotations) one.content = completed(one.content);
    this.#keys = new OwnTable(keys);
    this.#editorKeys = new StudioKeys(editorKeys);
    this.#editor = new SampleEditor(this, completed(content), { image, facets, task, bank }, signal);
    this.#checks = new Checks(this.querySelector("[data-fix]"), (element) => this.#editor.reveal(element));
    this.#checks.show(checks);
    this.#layMarks(annotations);
    this.#editor.addEventListener("change", () => this.#show(), { signal });
    this.#foot = new AdjudicationFoot(this, { accept: () => this.#accept(), edit: () => this.#edit(!this.#editing), send: (body) => this.#send(body) }, signal);
    this.#seat = new ReviewLease(urls, (sentence) => this.#foot.failed(sentence), signal);
    listenForSkip(urls, this.#seat, signal);
    listenForReport(signal);
    this.addEventListener("click", (event) => this.#clicked(event), { signal });
    for (const name of ["pointerover", "focusin"]) this.addEventListener(name, ({ target }) => this.#point(target.closest("[data-from]")?.dataset.from ?? null), { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal, capture: true });
    this.#build();
    this.#edit(false);
    await this.#editor.open(signal, () => this.#editor.toEvidence());
  }

  disconnectedCallback() {
    this.#ending?.abort();
  }

  /** For the list of keys. */
  get keys() {
    if (!this.#editor) return [];
    const back = ["Esc", this.#editing ? t("back to the choices") : t("back to the decisions")];
    if (this.#editing) return [...this.#editorKeys.rowsWith({ image: Boolean(this.#editor.canvas), suggestions: false, discussion: false }), back];
    const people = this.#data.annotations.length;
    return [...this.#keys.rowsOn(this, this.#acts), [`1 … ${people}`, t("show only one annotation")], ["0", t("show all")], [`Shift 1 … ${people}`, t("take one whole annotation")], back];
  }

  #layMarks(annotations) {
    const { canvas } = this.#editor;
    if (!canvas) return;
    this.#marks = new FrameMarks(
      annotations.flatMap(({ letter, content }, at) =>
        content.gold_boxes.map(({ box, points }, place) => ({ kind: `said-${at % 5}`, box, points, turn: null, tag: `${letter}${place + 1}`, letter }))),
    );
    canvas.lay(this.#marks);
  }

  /** The choices of each field; which of them are in the gold, `#show` says. */
  #build() {
    for (const section of this.querySelectorAll("[data-field]:not(.field)")) {
      const { field } = section.dataset;
      const list = section.querySelector("[data-choices]");
      if (!list) continue;
      if (field === "evidence") for (const [index, group] of this.#data.groups.entries()) list.append(this.#group(group, index));
      else for (const one of this.#distinct(field)) list.append(this.#choice(one.letters.join(" "), words(one.content, field) || t("none"), { field, letter: one.letters[0], from: one.letters.join(" ") }));
    }
    this.#show();
  }

  /** One for each different value of a field, with the letters of who has it. */
  #distinct(field) {
    const annotations = answering(this.#data.annotations);
    const found = [];
    for (const { letter, content } of annotations) {
      const letters = sameAs(content, field, annotations);
      if (letters[0] === letter) found.push({ letters, content });
    }
    return found;
  }

  #group(group, index) {
    const row = copied("row-group");
    row.querySelector("[data-number]").textContent = index + 1;
    row.querySelector("[data-members]").textContent = Object.keys(group.members).sort().join(" ");
    const list = row.querySelector("[data-ways]");
    for (const { how, letters, ways } of choices(group)) {
      const text = how === "none" ? t("leave out") : ways.map((way) => this.#ways[way]).join(", ");
      const from = letters.length ? letters : Object.keys(group.members);
      list.append(this.#choice(letters.join(" "), text, { group: index, how, from: from.join(" ") }));
    }
    return row;
  }

  #choice(letters, text, data) {
    const chip = copied("row-choice");
    chip.querySelector("b").textContent = letters;
    chip.querySelector("span").textContent = text;
    Object.assign(chip.dataset, data);
    return chip;
  }

  #show() {
    const { annotations, groups } = this.#data;
    const { content } = this.#editor;
    this.querySelector("[data-part=asked]").textContent = content.question;
    for (const chip of this.querySelectorAll("[data-letter]")) {
      const one = annotations.find(({ letter }) => letter === chip.dataset.letter);
      press(chip, sameAs(content, chip.dataset.field, [one]).length > 0);
    }
    for (const chip of this.querySelectorAll("[data-how]")) press(chip, chosen(content, groups[chip.dataset.group]) === chip.dataset.how);
    const whole = wholeOf(content, answering(annotations));
    for (const chip of this.querySelectorAll("[data-take]")) press(chip, whole.includes(chip.dataset.take));
    this.#foot?.result(whole[0] ?? null, this.#lacking);
  }

  /** Draw only the boxes of some people, while a choice that is theirs is pointed at. */
  #point(letters) {
    const shown = this.querySelector("[data-show][aria-pressed=true]")?.dataset.show;
    const only = letters?.split(" ") ?? (shown ? [shown] : null);
    this.#marks?.keep(({ letter }) => !only || only.includes(letter));
  }

  #clicked({ target }) {
    const chip = target.closest("[data-show], [data-take], [data-letter], [data-how]");
    if (!chip) return;
    const { show, take: whole, letter, field, group, how } = chip.dataset;
    if (show !== undefined) this.#showOnly(show);
    else if (whole) this.#takeWhole(whole);
    else if (letter) this.#editor.change(take(this.#editor.content, field, this.#of(letter)));
    else this.#editor.change(takeGroup(this.#editor.content, this.#data.groups, Number(group), how));
    this.#editor.read();
  }

  #of(letter) {
    return this.#data.annotations.find((one) => one.letter === letter);
  }

  #showOnly(letter) {
    for (const chip of this.querySelectorAll("[data-show]")) press(chip, chip.dataset.show === letter);
    this.#point(null);
  }

  #takeWhole(letter) {
    const annotation = this.#of(letter);
    if (!answering([annotation]).length) return;
    this.#editor.change(annotation.content);
    this.#editor.read();
  }

  /** The editor of the annotator, for what no choice gives; or the choices. */
  #edit(on) {
    this.#editing = on;
    this.querySelector("[data-fix]").hidden = !on;
    this.querySelector("[data-read]").hidden = on;
    press(this.querySelector("[data-decision=edit]"), on);
    const stage = this.querySelector(".stage");
    if (on) this.#editorKeys.showAlone(stage);
    else this.#keys.showAlone(stage);
    this.#keys.show(this.querySelector(".review__foot"));
    this.#editorKeys.show(this.querySelector("[data-fix]"));
    this.#show();
    if (!on) {
      this.#editor.settle();
      this.#editor.read();
      return;
    }
    this.#editor.edit();
    this.#editor.focusQuestion();
  }

  #key(event) {
    if (document.querySelector("dialog[open]") || event.defaultPrevented || event.isComposing) return;
    if (!(this.#editing ? this.#editKey(event) : this.#chooseKey(event))) return;
    event.preventDefault();
    event.stopPropagation();
  }

  #editKey(event) {
    if (this.#editor.keyOfDraft(event)) return true;
    const [asked, ...values] = this.#editorKeys.asked(event) ?? ["none"];
    const name = asked === "comment" ? "none" : asked;
    if (this.#editor.typed(event, name)) return true;
    if (name === "submit") this.#accept();
    else if (name !== "none" && this.#editor.act(name, values, event) !== false) return true;
    else if (name === "escape") this.#edit(false);
    else {
      this.#editor.begin(event);
      return false;
    }
    return true;
  }

  #chooseKey(event) {
    if (event.key === "Escape") {
      this.#foot.leave();
      return true;
    }
    const digit = DIGIT.exec(event.code)?.[1];
    if (digit && !isTyping(event.target) && !event.ctrlKey && !event.altKey && !event.metaKey) {
      const letter = digit === "0" ? "" : this.#data.annotations[Number(digit) - 1]?.letter;
      if (letter === undefined) return false;
      if (event.shiftKey && letter) this.#takeWhole(letter);
      else this.#showOnly(letter);
      return true;
    }
    // Enter presses what has the focus, unless that is a choice that was made already.
    const focused = event.target.closest("button, a, summary, textarea, input, select");
    if (event.key === "Enter" && !event.ctrlKey && focused && !focused.matches(CHOICE)) return false;
    this.#keys.press(event, this, this.#acts);
    return event.defaultPrevented;
  }

  get #acts() {
    const { canvas } = this.#editor;
    const seen = canvas && { boxes: () => (canvas.showsBoxes = !canvas.showsBoxes), evidence: () => canvas.toEvidence(), fit: () => canvas.fit() };
    return { ...seen, confirm: () => this.#foot.confirm() };
  }

  /** Accepting would be refused, for want of a box. In the editor the validation says so. */
  get #lacking() {
    return !this.#editing && lacksBoxes(this.#editor.content, this.#data.task.least_boxes);
  }

  #accept() {
    if (this.#lacking) {
      this.#edit(true);
      return;
    }
    if (this.#editing) this.#editor.settle();
    this.#send({ decision: "accept", content: this.#editor.content });
  }

  async #send(body) {
    if (!this.#foot.begin()) return;
    const { ok, data, trouble } = await send(this.#data.urls.decide, { ...body, image: this.#data.image_sha256 }, this.#attempt);
    if (ok) {
      this.#seat.goOn();
      location.assign(data.next ?? this.#data.urls.queue);
      return;
    }
    this.#attempt = newKey();
    this.#foot.failed(trouble);
    if (!data.checks) return;
    this.#edit(true);
    this.#checks.show(data.checks);
    this.#checks.visit();
  }
}

function press(button, on) {
  button.setAttribute("aria-pressed", String(on));
}
