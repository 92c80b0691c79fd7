import { singleKey } from "../lib/keys.js";

/**
 * <sightline-failures>… rows with data-pk … <aside id="preview">…</aside></sightline-failures>
 *
 * Space shows and hides the preview; the address names the row that is looked at, so that a copied link shows it too.
 */
export class SightlineFailures extends HTMLElement {
  static keys = [["Space", "show or hide the preview"]];

  #ending = null;

  connectedCallback() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
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

  #hide(hidden) {
    this.classList.toggle("is-alone", hidden);
  }

  #swapped({ target }) {
    if (target.id !== "preview") return;
    target.scrollTop = 0;
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
