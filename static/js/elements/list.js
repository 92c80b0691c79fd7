import { singleKey } from "../lib/keys.js";
import { tp } from "../lib/t.js";
import { Cursor } from "../models/cursor.js";

const linkOf = (item) => (item?.matches("a") ? item : item?.querySelector("a[href]"));

/**
 * Moves through a list or grid by key.
 *
 *   <sightline-list data-items=".tile">… <div class="tile"><a href="…">…</a><input type="checkbox" …></div> …</sightline-list>
 *
 * J and K move, X ticks the checkbox of the item, Enter opens its first link (before J: that of the first item). An item
 * with data-pk is the current one when the address says ?at= and its number.
 */
export class SightlineList extends HTMLElement {
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

  /** For the list of keys: those that do something here. */
  get keys() {
    const items = this.#items;
    return [
      items.length && ["J K", tp("key", "move")],
      items.some((item) => item.querySelector("input[type=checkbox]")) && ["X", tp("key", "select")],
      items.some(linkOf) && ["Enter", tp("key", "open")],
    ].filter(Boolean);
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
    if (document.querySelector("dialog[open]")) return;
    this.#cursor.resize(this.#items.length);
    const act = {
      j: () => this.#show(this.#cursor.next()),
      k: () => this.#show(this.#cursor.previous()),
      x: () => this.#select(),
      // With the focus on a link or button, Enter is the browser's.
      Enter: () => event.target === document.body && !event.repeat && this.#open(),
    }[singleKey(event)];
    if (act && act() !== false) event.preventDefault();
  }

  /** The current item; before J, the first one. */
  get #current() {
    return this.#items[Math.max(0, this.#cursor.place)];
  }

  #select() {
    const box = this.#current?.querySelector("input[type=checkbox]");
    if (this.#cursor.place < 0) this.#show(this.#cursor.next());
    box?.click();
    return Boolean(box);
  }

  #open() {
    const link = linkOf(this.#current);
    link?.click();
    return Boolean(link);
  }

  #show(place) {
    for (const [at, item] of this.#items.entries()) {
      item.classList.toggle("is-here", at === place);
      if (at !== place) continue;
      item.scrollIntoView({ block: "nearest" });
      // The link takes the focus, so that Enter opens it and a reader hears it.
      linkOf(item)?.focus({ preventScroll: true });
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
