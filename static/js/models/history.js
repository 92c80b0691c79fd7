/** Changes of one kind with less than this between them, in milliseconds, are one step: typing goes back by words. */
const PAUSE = 1000;

/** States that never change, one after the other, and the place among them. Says "change" when the state is another. */
export class History extends EventTarget {
  #states;
  #place = 0;
  #clock;
  #last = { kind: "", at: -Infinity };

  constructor(state, clock = () => performance.now()) {
    super();
    this.#states = [state];
    this.#clock = clock;
  }

  get state() {
    return this.#states[this.#place];
  }

  get canUndo() {
    return this.#place > 0;
  }

  get canRedo() {
    return this.#place < this.#states.length - 1;
  }

  /** Go on to a state. A change of the same `kind` as the last one soon after it takes its place; "" never does. */
  change(state, kind = "") {
    if (state === this.state) return;
    const at = this.#clock();
    const joins = kind !== "" && kind === this.#last.kind && at - this.#last.at < PAUSE;
    if (!joins) this.#place += 1;
    this.#states.splice(this.#place, Infinity, state);
    this.#last = { kind, at };
    this.dispatchEvent(new Event("change"));
  }

  undo() {
    this.#to(this.#place - 1);
  }

  redo() {
    this.#to(this.#place + 1);
  }

  /** All of it as it is now, for `rewind`. */
  get mark() {
    return { states: [...this.#states], place: this.#place };
  }

  /** Be again as it was: what came after the mark has never been. */
  rewind({ states, place }) {
    const before = this.state;
    [this.#states, this.#place] = [[...states], place];
    this.#last = { kind: "", at: -Infinity };
    if (this.state !== before) this.dispatchEvent(new Event("change"));
  }

  #to(place) {
    if (place < 0 || place >= this.#states.length) return;
    this.#place = place;
    this.#last = { kind: "", at: -Infinity };
    this.dispatchEvent(new Event("change"));
  }
}
