const BUSY_SECONDS = 4;
const IDLE_SECONDS = 30;

/**
 * <sightline-jobs data-src="…">…</sightline-jobs>: asks the address for its contents again, often while jobs are under
 * way (the piece then holds an element with data-live), seldom otherwise, and not while the page is hidden.
 */
export class SightlineJobs extends HTMLElement {
  #timer = null;
  #shown = "";

  connectedCallback() {
    if (!this.dataset.src) return;
    document.addEventListener("visibilitychange", this.#look);
    this.#look();
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
    document.removeEventListener("visibilitychange", this.#look);
  }

  #look = async () => {
    clearTimeout(this.#timer);
    if (document.hidden) return;
    try {
      const answer = await fetch(this.dataset.src, { headers: { "HX-Request": "true" }, redirect: "error" });
      if (answer.ok) this.#show(await answer.text());
    } catch (error) {
      // The line is down; what was known stays and the next look may succeed.
      console.debug(error.message);
    }
    const seconds = this.querySelector("[data-live]") ? BUSY_SECONDS : IDLE_SECONDS;
    if (this.isConnected) this.#timer = setTimeout(this.#look, seconds * 1000);
  };

  /** What did not change stays, with what a person has opened or chosen in it. */
  #show(text) {
    if (text !== this.#shown) this.innerHTML = text;
    this.#shown = text;
    this.shown();
  }

  /** What else shows the contents: see SightlineBell. */
  shown() {}
}
