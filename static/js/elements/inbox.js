/**
 * <sightline-inbox>… <form action="…/read/">… <a href="…"></form></sightline-inbox>: who opens what an entry is about has read
 * the entry.
 */
export class SightlineInbox extends HTMLElement {
  #ending = null;

  connectedCallback() {
    this.#ending = new AbortController();
    for (const kind of ["click", "auxclick"]) this.addEventListener(kind, (event) => this.#opened(event), { signal: this.#ending.signal });
  }

  disconnectedCallback() {
    this.#ending?.abort();
  }

  #opened({ target, button }) {
    const form = target.closest("a[href]")?.closest("form");
    if (!form || button > 1) return;
    // The page may be left before there is an answer.
    fetch(form.action, { method: "POST", body: new FormData(form), keepalive: true, redirect: "manual" }).catch(() => null);
    form.closest("li").classList.remove("is-unread");
  }
}
