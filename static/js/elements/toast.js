const SECONDS = 8;

/** <sightline-toast class="toast">: goes by itself after 8 seconds, unless it has data-stays, is hovered or holds the focus. */
export class SightlineToast extends HTMLElement {
  #timer = null;

  connectedCallback() {
    const close = this.querySelector("button[hidden]");
    if (close) {
      close.hidden = false;
      close.addEventListener("click", () => this.remove());
    }
    if ("stays" in this.dataset) return;
    const start = () => (this.#timer = setTimeout(() => this.remove(), SECONDS * 1000));
    const hold = () => clearTimeout(this.#timer);
    for (const name of ["pointerenter", "focusin"]) this.addEventListener(name, hold);
    for (const name of ["pointerleave", "focusout"]) this.addEventListener(name, start);
    start();
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
  }
}
