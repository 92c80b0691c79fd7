import { tn } from "../lib/t.js";
import { Cursor } from "../models/cursor.js";

const WAIT = 120;

/**
 * <sightline-query data-words="address"><form><input name="q"></form><ul role="listbox" hidden></ul></sightline-query>
 *
 * Proposes what may stand at the caret. Down and Up move, Enter or Tab takes one, Escape closes.
 */
export class SightlineQuery extends HTMLElement {
  #cursor = new Cursor(0);
  #proposals = [];
  #timer = 0;
  #asked = 0;

  connectedCallback() {
    const list = this.#list;
    this.#field.setAttribute("role", "combobox");
    this.#field.setAttribute("aria-autocomplete", "list");
    this.#field.setAttribute("aria-controls", list.id);
    this.#field.setAttribute("aria-expanded", "false");
    this.#field.addEventListener("input", () => this.#soon());
    this.#field.addEventListener("keydown", (event) => this.#key(event));
    this.#field.addEventListener("blur", () => this.#close());
    // Before blur, so that the field keeps the focus.
    list.addEventListener("pointerdown", (event) => this.#pressed(event));
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
  }

  get #field() {
    return this.querySelector("input[name=q]");
  }

  get #list() {
    return this.querySelector("[role=listbox]");
  }

  #soon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), WAIT);
  }

  async #ask() {
    const asked = ++this.#asked;
    const given = new URLSearchParams({ q: this.#field.value, at: this.#field.selectionStart });
    const answer = await fetch(`${this.dataset.words}?${given}`, { headers: { Accept: "application/json" } }).catch(
      () => null,
    );
    const found = answer?.ok ? (await answer.json()).proposals : [];
    if (asked === this.#asked && document.activeElement === this.#field) this.#show(found);
  }

  #show(found) {
    this.#proposals = found;
    this.#cursor = new Cursor(found.length);
    this.#list.replaceChildren(...found.map((one, place) => option(one, place)));
    this.#list.hidden = !found.length;
    this.#field.setAttribute("aria-expanded", String(found.length > 0));
    this.querySelector("[data-said]").textContent = found.length ? tn("%(count)s suggestion", "%(count)s suggestions", found.length) : "";
    this.#mark();
  }

  #close() {
    this.#asked += 1;
    clearTimeout(this.#timer);
    this.#show([]);
  }

  #key(event) {
    if (event.key === "ArrowDown" && !this.#proposals.length) this.#ask();
    if (!this.#proposals.length) return;
    const taking = event.key === "Tab" ? Math.max(0, this.#cursor.place) : this.#cursor.place;
    const act = {
      ArrowDown: () => this.#move(this.#cursor.next()),
      ArrowUp: () => this.#move(this.#cursor.previous()),
      Escape: () => this.#close(),
      Enter: taking >= 0 ? () => this.#take(taking) : null,
      Tab: event.shiftKey ? null : () => this.#take(taking),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  #move() {
    this.#mark();
    this.#list.children[this.#cursor.place]?.scrollIntoView({ block: "nearest" });
  }

  #mark() {
    for (const [place, one] of [...this.#list.children].entries())
      one.setAttribute("aria-selected", String(place === this.#cursor.place));
    const here = this.#list.children[this.#cursor.place];
    if (here) this.#field.setAttribute("aria-activedescendant", here.id);
    else this.#field.removeAttribute("aria-activedescendant");
  }

  #pressed(event) {
    const place = [...this.#list.children].indexOf(event.target.closest("[role=option]"));
    event.preventDefault();
    if (place >= 0) this.#take(place);
  }

  #take(place) {
    const { text, start } = this.#proposals[place];
    this.#field.setRangeText(text, start, this.#field.selectionStart, "end");
    this.#show([]);
    this.#ask();
  }
}

function option({ text, about }, place) {
  const item = document.createElement("li");
  item.id = `query-word-${place}`;
  item.setAttribute("role", "option");
  const words = document.createElement("code");
  words.textContent = text.trim();
  const said = document.createElement("span");
  said.textContent = about;
  item.append(words, said);
  return item;
}
