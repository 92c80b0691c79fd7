import { singleKey } from "../lib/keys.js";
import { Cursor } from "../models/cursor.js";

/**
 * Moves through a list or grid by key.
 *
 *   <sightline-list data-items=".tile">… <div class="tile"><a href="…">…</a><input type="checkbox" …></div> …</sightline-list>
 *
 * J and K move, X ticks the checkbox of the item, Enter opens its first link. An item with data-pk is stood on when the
 * address says ?at= and its number.
 */
export class SightlineList extends HTMLElement {
  static keys = [
    ["J K", "move"],
    ["X", "select"],
    ["Enter", "open"],
  ];

  #cursor = new Cursor(0);
  #ending = null;

  connectedCallback() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    this.addEventListener("change", (event) => this.#ticked(event), { signal });
    this.addEventListener("focusin", (event) => this.#follow(event), { signal });
    for (const item of this.#items) this.#mark(item);
    this.#comeBack();
  }

  disconnectedCallback() {
    this.#ending?.abort();
  }

  get #items() {
    return [...this.querySelectorAll(this.dataset.items ?? "[data-item]")];
  }

  /** Who comes back from an item stands on it again: the address names it, and the keys go on from there. */
  #comeBack() {
    const at = new URLSearchParams(window.location.search).get("at");
    const place = at ? this.#items.findIndex((item) => item.dataset.pk === at) : -1;
    if (place >= 0) this.#show(place);
  }

  #key(event) {
    const act = {
      j: () => this.#show(this.#cursor.next()),
      k: () => this.#show(this.#cursor.previous()),
      x: () => this.#items[this.#cursor.place]?.querySelector("input[type=checkbox]")?.click(),
    }[singleKey(event)];
    if (!act || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    this.#cursor.resize(this.#items.length);
    act();
  }

  #show(place) {
    for (const [at, item] of this.#items.entries()) {
      item.classList.toggle("is-here", at === place);
      if (at !== place) continue;
      item.scrollIntoView({ block: "nearest" });
      // The link takes the focus, so that Enter opens it and a reader hears it.
      (item.matches("a") ? item : item.querySelector("a[href]"))?.focus({ preventScroll: true });
    }
  }

  #follow(event) {
    const place = this.#items.findIndex((item) => item.contains(event.target));
    if (place >= 0) this.#cursor.place = place;
  }

  #ticked(event) {
    const item = event.target.closest(this.dataset.items ?? "[data-item]");
    if (item) this.#mark(item);
  }

  #mark(item) {
    const box = item.querySelector("input[type=checkbox]");
    if (box) item.classList.toggle("is-sel", box.checked);
  }
}
