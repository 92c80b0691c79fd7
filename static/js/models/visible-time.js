/** Seconds for which a page was visible since it was opened. `now` gives milliseconds. */
export class VisibleTime {
  #now;
  #since;
  #passed = 0;

  constructor(isVisible, now) {
    this.#now = now;
    this.#since = isVisible ? now() : null;
  }

  /** The page became visible or hidden. */
  change(isVisible) {
    if (this.#since !== null) this.#passed += this.#now() - this.#since;
    this.#since = isVisible ? this.#now() : null;
  }

  get seconds() {
    return Math.round(this.#passed + (this.#since === null ? 0 : this.#now() - this.#since)) / 1000;
  }
}
