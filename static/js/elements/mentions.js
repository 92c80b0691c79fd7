import { tn } from "../lib/t.js";
import { fitting, soughtAt, withName } from "../models/mention.js";

/**
 * Completes names after @ in a text field: a list under it, by key (arrows, Enter or Tab, Escape) or pointer.
 *
 *   <textarea aria-autocomplete="list" aria-controls="mentions"></textarea>
 *   <ul id="mentions" role="listbox" hidden></ul><p class="vh" role="status" data-mentions-said></p>
 *
 * The names are those of the people who can see the sample. They are asked for once, with the first @.
 */
export class Mentions {
  #field;
  #list;
  #said;
  #url;
  #names = null;
  #at = null;
  #shown = [];
  #chosen = 0;

  constructor(form, url, signal) {
    this.#field = form.elements.text;
    this.#list = form.querySelector("[role=listbox]");
    this.#said = form.querySelector("[data-mentions-said]");
    this.#url = url;
    this.#field.addEventListener("input", () => this.#look(), { signal });
    this.#field.addEventListener("keydown", (event) => this.#key(event), { signal });
    this.#field.addEventListener("blur", () => this.#close(), { signal });
    this.#list.addEventListener("pointerdown", (event) => this.#pressed(event), { signal });
  }

  async #look() {
    this.#at = soughtAt(this.#field.value, this.#field.selectionStart);
    if (!this.#at) return this.#close();
    this.#names ??= await this.#ask();
    // The text may have changed while the names were on their way.
    this.#at = soughtAt(this.#field.value, this.#field.selectionStart);
    this.#show(this.#at ? fitting(this.#names, this.#at.sought) : []);
  }

  async #ask() {
    const answer = await fetch(this.#url, { headers: { Accept: "application/json" } }).catch(() => null);
    return answer?.ok ? (await answer.json()).people : [];
  }

  #show(names) {
    this.#shown = names;
    this.#chosen = 0;
    this.#list.replaceChildren(
      ...names.map((name, at) => {
        const row = document.createElement("li");
        row.id = `mention-${at}`;
        row.role = "option";
        row.textContent = name;
        row.dir = "auto";
        return row;
      }),
    );
    this.#list.hidden = names.length === 0;
    this.#said.textContent = names.length ? tn("%(count)s person", "%(count)s people", names.length) : "";
    this.#mark();
  }

  #mark() {
    for (const [at, row] of [...this.#list.children].entries()) row.setAttribute("aria-selected", String(at === this.#chosen));
    if (this.#shown.length) this.#field.setAttribute("aria-activedescendant", `mention-${this.#chosen}`);
    else this.#field.removeAttribute("aria-activedescendant");
  }

  #key(event) {
    if (!this.#shown.length || event.isComposing || event.ctrlKey || event.metaKey) return;
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by) {
      this.#chosen = (this.#chosen + by + this.#shown.length) % this.#shown.length;
      this.#mark();
    } else if (event.key === "Enter" || event.key === "Tab") this.#take(this.#shown[this.#chosen]);
    else if (event.key === "Escape") this.#close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #pressed(event) {
    const row = event.target.closest("[role=option]");
    if (!row) return;
    // The field keeps the focus.
    event.preventDefault();
    this.#take(row.textContent);
  }

  #take(name) {
    const { text, caret } = withName(this.#field.value, this.#at, name);
    this.#field.value = text;
    this.#field.setSelectionRange(caret, caret);
    this.#close();
  }

  #close() {
    if (this.#shown.length) this.#show([]);
  }
}
