import { singleKey } from "../lib/keys.js";
import { t } from "../lib/t.js";

/**
 * <sightline-trajectory-list>… rows with data-pk … <aside id="preview">…</aside></sightline-trajectory-list>
 *
 * Space shows and hides the preview; the address names the row that is looked at, so that a copied link shows it too.
 * While a person writes in the preview, the pointer does not remove it, and what was written and not sent stands
 * there again when its row comes back.
 */
export class SightlineTrajectoryList extends HTMLElement {
  static keys = [["Space", t("show or hide the preview")]];

  #ending = null;
  #unsent = new Map();

  connectedCallback() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    this.addEventListener("focusin", ({ target }) => this.#wait(target.closest(".trajectory-row")), { signal });
    this.addEventListener("htmx:afterRequest", ({ detail }) => detail.successful || this.#wait(null), { signal });
    this.addEventListener("input", (event) => this.#written(event), { signal });
    this.addEventListener("htmx:beforeRequest", (event) => this.#stay(event), { signal });
    this.addEventListener("htmx:beforeSwap", (event) => this.#sent(event), { signal });
    this.addEventListener("htmx:afterSwap", (event) => this.#swapped(event), { signal });
    this.#hide(new URLSearchParams(location.search).get("pane") === "off");
    this.#follow();
  }

  disconnectedCallback() {
    this.#ending?.abort();
  }

  #key(event) {
    if (singleKey(event) !== " " || event.target.closest("a.btn, button, summary, dialog[open]")) return;
    event.preventDefault();
    const hidden = !this.classList.contains("is-alone");
    this.#hide(hidden);
    this.#address("pane", hidden ? "off" : null);
  }

  /** Until the preview is that of the row with the focus, no key acts on the trajectory that it still shows. */
  #wait(row) {
    const preview = this.querySelector("#preview");
    // A published copy has none.
    if (preview) preview.inert = row !== null && row.dataset.pk !== this.#shown;
  }

  #hide(hidden) {
    this.classList.toggle("is-alone", hidden);
  }

  #stay(event) {
    const came = event.detail.requestConfig.triggeringEvent?.type;
    if (came === "mouseenter" && document.activeElement.matches("#preview :is(input, textarea)")) event.preventDefault();
  }

  #written({ target }) {
    if (target.matches("#preview textarea[name=text]")) this.#unsent.set(this.#shown, target.value);
  }

  #sent({ detail: { requestConfig, xhr } }) {
    if (requestConfig?.elt?.matches(".preview__note") && xhr.status < 400) this.#unsent.delete(this.#shown);
  }

  #swapped({ target }) {
    if (target.id !== "preview") return;
    target.scrollTop = 0;
    this.#wait(document.activeElement.closest(".trajectory-row"));
    const note = target.querySelector("textarea[name=text]");
    if (note && this.#unsent.has(this.#shown)) note.value = this.#unsent.get(this.#shown);
    this.#follow();
    const shown = this.#shown;
    if (shown) this.#address("at", shown);
  }

  get #shown() {
    return this.querySelector("#preview [data-pk]")?.dataset.pk;
  }

  #follow() {
    for (const row of this.querySelectorAll(".trajectory-row"))
      row.classList.toggle("is-shown", row.dataset.pk === this.#shown);
  }

  #address(name, value) {
    const there = new URL(location.href);
    if (value === null) there.searchParams.delete(name);
    else there.searchParams.set(name, value);
    history.replaceState(history.state, "", there);
  }
}
