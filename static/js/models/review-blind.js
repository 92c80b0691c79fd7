/** Time spent looking: it stands still while the page is hidden. `now` gives milliseconds. */
export class Stopwatch {
  #now;
  #spent = 0;
  #since;

  constructor(now) {
    this.#now = now;
    this.#since = now();
  }

  show(visible) {
    if (visible) this.#since ??= this.#now();
    else if (this.#since !== null) {
      this.#spent += this.#now() - this.#since;
      this.#since = null;
    }
  }

  get seconds() {
    const running = this.#since === null ? 0 : this.#now() - this.#since;
    return Math.round((this.#spent + running) / 100) / 10;
  }
}

/** What a reviewer answers before gold is shown. Says "change". */
export class BlindAnswer extends EventTarget {
  #answer = "";
  #unsure = false;

  get answer() {
    return this.#answer;
  }

  get unsure() {
    return this.#unsure;
  }

  get given() {
    return this.#answer.trim() !== "";
  }

  answerWith(text) {
    this.#answer = text;
    this.dispatchEvent(new Event("change"));
  }

  beUnsure(unsure) {
    this.#unsure = unsure;
    this.dispatchEvent(new Event("change"));
  }

  /** The body to send; without an answer it says that the image did not tell. */
  body(seconds) {
    return { answer: this.#answer.trim(), seconds, unsure: this.#unsure || !this.given };
  }
}
