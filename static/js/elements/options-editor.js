import { t } from "../lib/t.js";
import {
  MOST, acceptLines, addOption, askAs, chooseOption, listed, moveOption, pasteOptions, pastedLines, removeOption, withoutEmpty, withoutLast,
  writeOption,
} from "../models/options.js";
import { copied, dragRows, keepRows, write } from "./rows.js";

/** The semicolon, also as Chinese has it. */
const PARTS = new Set([";", "\uff1b"]);

/**
 * How the question is answered: options of which one is right, or accepted texts. In an option: a semicolon at its end or
 * Enter goes to the next one and makes it after the last (two semicolons are one in the text), a star before its text or
 * Alt Enter makes it the answer, Alt with an arrow moves it, Backspace takes an empty one away, a pasted list of lines fills it and those after it. In the
 * circles before the options a letter picks the answer.
 */
export class OptionsEditor {
  #root;
  #edit;
  #content = null;
  /** What was accepted when the answer was open last, for when it is again. */
  #was = [];

  constructor(root, edit) {
    this.#root = root;
    this.#edit = edit;
    const list = this.#list;
    root.addEventListener("change", (event) => this.#changed(event));
    root.addEventListener("click", (event) => this.#clicked(event));
    list.addEventListener("beforeinput", (event) => this.#parted(event));
    list.addEventListener("input", ({ target }) => this.#typed(target));
    list.addEventListener("keydown", (event) => this.#key(event));
    list.addEventListener("paste", (event) => this.#pasted(event));
    this.#accepted.addEventListener("input", ({ target }) => edit((content) => acceptLines(content, target.value), "answer"));
    dragRows(list, () => [...list.children], (from, at, edge) => this.#dropped(from, at, edge));
  }

  show(content) {
    this.#content = content;
    if (content.answer_type === "open") this.#was = content.answer;
    const choice = content.answer_type === "mc";
    for (const radio of this.#root.querySelectorAll("[name=answer_type]")) radio.checked = radio.value === content.answer_type;
    this.#root.querySelector("[data-part=choice]").hidden = !choice;
    this.#root.querySelector("[data-part=open]").hidden = choice;
    const options = listed(content);
    keepRows(this.#list, options.length, () => copied("row-option"));
    for (const [place, option] of options.entries()) this.#row(this.#list.children[place], option);
    this.#root.querySelector("[data-act=add]").disabled = options.length >= MOST;
    write(this.#accepted, choice ? "" : content.answer.join("\n"));
  }

  /** Go to where the answer is written, or chosen if the options are fixed; `other` asks the other way from now on. */
  focus(other = false) {
    if (other) this.#ask(this.#content.answer_type === "mc" ? "open" : "mc");
    if (this.#content?.answer_type === "mc") this.#focus(0);
    else this.#accepted.focus();
  }

  #ask(type) {
    this.#edit((content) => askAs(content, type, this.#was));
  }

  /** What follows the last semicolon is no option. */
  settle() {
    this.#edit(withoutLast);
  }

  get #list() {
    return this.#root.querySelector("[data-part=options]");
  }

  get #accepted() {
    return this.#root.querySelector("[data-part=accepted]");
  }

  #row(row, { letter, text, right }) {
    const [radio, field] = row.querySelectorAll("input");
    row.classList.toggle("is-on", right);
    row.querySelector("b").textContent = letter;
    radio.checked = right;
    radio.setAttribute("aria-label", t("%(letter)s is the answer", { letter }));
    field.setAttribute("aria-label", t("Option %(letter)s", { letter }));
    row.querySelector("[data-act=remove]").setAttribute("aria-label", t("Remove option %(letter)s", { letter }));
    write(field, text);
  }

  #place(element) {
    return [...this.#list.children].findIndex((row) => row.contains(element));
  }

  #focus(place) {
    const field = this.#list.children[place]?.querySelector(".input");
    if (field?.readOnly) (this.#list.querySelector("[type=radio]:checked") ?? this.#list.querySelector("[type=radio]")).focus();
    else field?.focus();
  }

  #typed(field) {
    if (!field.matches(".input")) return;
    const place = this.#place(field);
    this.#edit((content) => writeOption(content, place, field.value), `option ${place}`);
  }

  /** A semicolon that ends an option goes on to the next; once more, at the beginning of that one, it was meant as text. */
  #parted(event) {
    const { target: field, data } = event;
    if (data === " " && field.matches(".input") && !field.value) event.preventDefault();
    if (event.inputType !== "insertText" || !PARTS.has(data) || !field.matches(".input")) return;
    const place = this.#place(field);
    const before = place && !field.value ? this.#list.children[place - 1].querySelector(".input") : null;
    if (before) {
      this.#edit((content) => writeOption(content, place - 1, before.value + data));
      this.#focus(place - 1);
    } else if (field.value.trim() && field.selectionStart === field.value.length) this.#next(place);
    else return;
    event.preventDefault();
  }

  #changed({ target }) {
    if (target.name === "answer_type") this.#ask(target.value);
    else if (target.name === "right") this.#edit((content) => chooseOption(content, this.#place(target)));
  }

  #clicked({ target }) {
    const act = target.closest("[data-act]")?.dataset.act;
    if (act === "add") this.#add();
    else if (act === "remove") {
      const place = this.#place(target);
      this.#edit((content) => removeOption(content, place));
      this.#focus(Math.max(0, place - 1));
    }
  }

  #add() {
    this.#edit((content) => addOption(content));
    this.#focus(this.#list.children.length - 1);
  }

  #key(event) {
    if (event.isComposing || event.ctrlKey || event.metaKey) return;
    if (event.target.matches("[name=right]")) return this.#pick(event);
    if (!event.target.matches(".input")) return;
    const place = this.#place(event.target);
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.altKey && by) {
      this.#edit((content) => moveOption(content, place, place + by));
      this.#focus(Math.min(this.#list.children.length - 1, Math.max(0, place + by)));
    } else if (event.key === "Enter" && event.altKey) {
      this.#edit((content) => chooseOption(content, place));
    } else if (event.key === "Enter") this.#next(place);
    else if (event.key === "Backspace" && !event.target.value && this.#list.children.length > 2) {
      this.#edit((content) => withoutEmpty(content, place));
      this.#focus(Math.max(0, place - 1));
    } else return;
    event.preventDefault();
  }

  #next(place) {
    if (place + 1 < this.#list.children.length) this.#focus(place + 1);
    else this.#add();
  }

  /** A letter in the circles picks the option that has it. */
  #pick(event) {
    const row = event.altKey ? null : [...this.#list.children].find((one) => one.querySelector("b").textContent === event.key.toUpperCase());
    if (!row) return;
    event.preventDefault();
    this.#edit((content) => chooseOption(content, this.#place(row)));
    row.querySelector("[name=right]").focus();
  }

  /** With a list the texts are there: what is left to say is which one is right. */
  #pasted(event) {
    const lines = pastedLines(event.clipboardData.getData("text/plain"));
    const place = this.#place(event.target);
    if (!lines || place < 0) return;
    event.preventDefault();
    this.#edit((content) => pasteOptions(content, place, lines));
    if (this.#content.answer.length) this.#focus(Math.min(this.#list.children.length, place + lines.length) - 1);
    else this.#list.querySelector("[name=right]").focus();
  }

  #dropped(from, at, edge) {
    const before = edge === "before" || (edge === "onto" && at < from) ? at : at + 1;
    this.#edit((content) => moveOption(content, from, before > from ? before - 1 : before));
  }
}
