import { chordOf } from "../lib/key-combinations.js";
import { singleKey } from "../lib/keys.js";
import { tp } from "../lib/t.js";
import { Cursor } from "../models/cursor.js";

const CHORD = "Ctrl+K";

/**
 * <sightline-palette><dialog><form><input role="combobox" hx-get=…></form><div id="palette-results">…</div></dialog></sightline-palette>
 *
 * The search over the page. Ctrl K, a link with data-opens, and "/" where the page has no field of its own open it. htmx asks for
 * results while one types; Up and Down move through them, Enter opens one, Escape closes, and the focus returns.
 */
export class SightlinePalette extends HTMLElement {
  static keys = [["Ctrl K", tp("key", "search")]];

  #ending = null;
  #cursor = new Cursor(0);
  #isBehind = true;
  #opensFirst = false;

  connectedCallback() {
    this.#ending = new AbortController();
    document.addEventListener("keydown", (event) => this.#anywhere(event), { signal: this.#ending.signal });
    this.#field.addEventListener("input", () => {
      this.#isBehind = true;
      this.#opensFirst = false;
    });
    this.#field.addEventListener("keydown", (event) => this.#key(event));
    this.querySelector("#palette-results").addEventListener("htmx:afterSwap", ({ detail }) => this.#arrived(detail));
    // At once as the dialog opens: an event of the dialog comes later than what is typed meanwhile.
    this.#field.addEventListener("focus", () => this.#opened());
  }

  disconnectedCallback() {
    this.#ending?.abort();
  }

  get #dialog() {
    return this.querySelector("dialog");
  }

  get #field() {
    return this.querySelector("input[name=q]");
  }

  get #options() {
    return [...this.querySelectorAll("[role=option]")];
  }

  #anywhere(event) {
    if (chordOf(event) === CHORD && !event.isComposing) {
      event.preventDefault();
      if (this.#dialog.open) this.#dialog.close();
      else this.#open();
    } else if (singleKey(event) === "/" && !document.querySelector('[data-key="/"]:not([hidden], [hidden] *, [inert] *)')) {
      event.preventDefault();
      this.#open();
    }
  }

  #open() {
    if (!document.querySelector("dialog[open]")) this.#dialog.showModal();
  }

  #opened() {
    this.#isBehind = true;
    this.#opensFirst = false;
    this.#field.select();
    this.#field.dispatchEvent(new Event("sightline-ask"));
  }

  /** The first result is chosen: Enter opens it. Results of an earlier text are shown, but nothing is opened of them. */
  #arrived({ pathInfo }) {
    const found = this.#options;
    const asked = new URL(pathInfo.finalRequestPath, location.href).searchParams.get("q") ?? "";
    this.#isBehind = asked.trim() !== this.#field.value.trim();
    this.#cursor = new Cursor(found.length, found.length ? 0 : -1);
    this.#field.setAttribute("aria-expanded", String(found.length > 0));
    const said = this.querySelector("[data-said]");
    said.textContent = found.length === 1 ? said.dataset.one : said.dataset.many.replace("#", found.length);
    this.#mark();
    if (this.#isBehind) return;
    if (this.#opensFirst) found[0]?.click();
    this.#opensFirst = false;
  }

  #key(event) {
    if (event.isComposing) return;
    const act = {
      ArrowDown: () => this.#cursor.next(),
      ArrowUp: () => this.#cursor.previous(),
      Enter: () => this.#take(),
    }[event.key];
    if (!act || (event.key === "Enter" && !this.#isBehind && !this.#options.length)) return;
    event.preventDefault();
    act();
    this.#mark();
  }

  /** Opens what is chosen; while results are on their way, the first of them when they arrive. */
  #take() {
    if (this.#isBehind) this.#opensFirst = true;
    else this.#options[this.#cursor.place]?.click();
  }

  #mark() {
    for (const [place, one] of this.#options.entries()) one.setAttribute("aria-selected", String(place === this.#cursor.place));
    const here = this.#options[this.#cursor.place];
    here?.scrollIntoView({ block: "nearest" });
    if (here) this.#field.setAttribute("aria-activedescendant", here.id);
    else this.#field.removeAttribute("aria-activedescendant");
  }
}
