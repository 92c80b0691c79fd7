import { isTyping } from "../lib/keys.js";

/** Where each key leads from an item, or from the button (-1). */
const MOVES = {
  ArrowDown: (at, n) => (at + 1) % n,
  ArrowUp: (at, n) => (Math.max(at, 0) + n - 1) % n,
  Home: () => 0,
  End: (at, n) => n - 1,
};

/**
 * <sightline-menu><details>…</details></sightline-menu>: closes at Escape, at a click elsewhere and when the focus leaves. Down
 * and Up move through its links and buttons, and open it; Home and End go to the first and the last. Its
 * list hangs from the right edge of the button, or from the left one where the window ends before that.
 */
export class SightlineMenu extends HTMLElement {
  #ending = null;
  #opened = null;

  connectedCallback() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    const details = this.querySelector("details");
    // The event "toggle" comes a task later, so that the list would be seen beyond the window for a moment.
    this.#opened = new MutationObserver(() => this.#place(details));
    this.#opened.observe(details, { attributeFilter: ["open"] });
    document.addEventListener("click", (event) => this.contains(event.target) || (details.open = false), { signal });
    this.addEventListener("focusout", (event) => {
      if (event.relatedTarget && !this.contains(event.relatedTarget)) details.open = false;
    });
    this.addEventListener("keydown", (event) => this.#key(event, details));
  }

  #key(event, details) {
    const summary = details.querySelector("summary");
    if (event.key === "Escape" && details.open) {
      details.open = false;
      summary.focus();
    } else if (MOVES[event.key] && !event.defaultPrevented && !isTyping(event.target)) {
      if (!details.open && event.target !== summary) return;
      details.open = true;
      const items = [...details.querySelectorAll(":is(a[href], button)")].filter((one) => one.checkVisibility());
      const place = MOVES[event.key](items.indexOf(document.activeElement), items.length);
      items[place]?.focus();
      event.preventDefault();
    }
  }

  #place(details) {
    details.classList.remove("is-from-left");
    const list = details.querySelector(":scope > :not(summary)");
    details.classList.toggle("is-from-left", details.open && list.getBoundingClientRect().left < 0);
  }

  disconnectedCallback() {
    this.#ending?.abort();
    this.#opened?.disconnect();
  }
}
