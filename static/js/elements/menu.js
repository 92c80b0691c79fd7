/** <sightline-menu><details>…</details></sightline-menu>: closes at Escape, at a click elsewhere and when the focus leaves. */
export class SightlineMenu extends HTMLElement {
  #ending = null;

  connectedCallback() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    const details = this.querySelector("details");
    document.addEventListener("click", (event) => this.contains(event.target) || (details.open = false), { signal });
    this.addEventListener("focusout", (event) => {
      if (event.relatedTarget && !this.contains(event.relatedTarget)) details.open = false;
    });
    this.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !details.open) return;
      details.open = false;
      details.querySelector("summary").focus();
    });
  }

  disconnectedCallback() {
    this.#ending?.abort();
  }
}
