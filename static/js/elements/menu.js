/**
 * <sightline-menu><details>…</details></sightline-menu>: closes at Escape, at a click elsewhere and when the focus leaves. Its
 * list hangs from the right edge of the button, or from the left one where the window ends before that.
 */
export class SightlineMenu extends HTMLElement {
  #ending = null;

  connectedCallback() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    const details = this.querySelector("details");
    details.addEventListener("toggle", () => this.#place(details));
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

  #place(details) {
    details.classList.remove("is-from-left");
    const list = details.querySelector(":scope > :not(summary)");
    details.classList.toggle("is-from-left", details.open && list.getBoundingClientRect().left < 0);
  }

  disconnectedCallback() {
    this.#ending?.abort();
  }
}
