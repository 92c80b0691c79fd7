import { singleKey } from "../lib/keys.js";
import { t } from "../lib/t.js";
import { RangePick } from "../models/range-pick.js";

/**
 * Choosing rows by their checkboxes, and saying how many there are.
 *
 *   <sightline-row-selection data-total="312">… [data-page] · rows with [name=id] · [name=all] · [data-chosen] …</sightline-row-selection>
 *
 * Shift and a click, or Shift+X on the row of the cursor, choose all rows from the last one up to here.
 */
export class SightlineRowSelection extends HTMLElement {
  static keys = [["Shift X", t("select a range")]];

  #pick = new RangePick();
  #ending = null;

  connectedCallback() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    this.addEventListener("click", (event) => this.#clicked(event), { signal });
    this.addEventListener("change", (event) => this.#changed(event), { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    this.#show();
  }

  disconnectedCallback() {
    this.#ending?.abort();
  }

  get #boxes() {
    return [...this.querySelectorAll("input[name=id]")];
  }

  get #all() {
    return this.querySelector("input[name=all]");
  }

  #clicked(event) {
    const place = this.#boxes.indexOf(event.target);
    if (place < 0) return;
    const { checked } = event.target;
    for (const at of this.#pick.places(place, event.shiftKey)) this.#set(this.#boxes[at], checked);
  }

  #changed({ target }) {
    const { checked } = target;
    if (target.matches("[data-page]")) for (const box of this.#boxes) this.#set(box, checked);
    this.#show();
  }

  #key(event) {
    if (!event.shiftKey || singleKey(event) !== "x") return;
    const box = this.querySelector(".is-here input[name=id]");
    if (!box) return;
    event.preventDefault();
    box.dispatchEvent(new MouseEvent("click", { shiftKey: true, bubbles: true, cancelable: true }));
  }

  #set(box, checked) {
    if (box.checked === checked) return;
    box.checked = checked;
    box.dispatchEvent(new Event("change", { bubbles: true }));
  }

  #show() {
    const boxes = this.#boxes;
    const n = boxes.filter((box) => box.checked).length;
    const page = this.querySelector("[data-page]");
    page.checked = n > 0 && n === boxes.length;
    page.indeterminate = n > 0 && n < boxes.length;
    const total = Number(this.dataset.total);
    this.querySelector("[data-chosen]").textContent = this.#all.checked ? t("all %(count)s", { count: total.toLocaleString("en") }) : n ? `${n}` : t("none yet");
  }
}
