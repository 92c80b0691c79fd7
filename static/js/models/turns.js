/** Which turn of a trajectory is in focus, and whether gold is shown. Says "change" when either is different. */
export class TurnSelection extends EventTarget {
  #turns;
  #current = null;
  #gold = true;

  /** @param {number[]} turns numbers of the turns in their order */
  constructor(turns, current = null) {
    super();
    this.#turns = [...turns];
    if (this.#turns.includes(current)) this.#current = current;
  }

  get current() {
    return this.#current;
  }

  get showsGold() {
    return this.#gold;
  }

  /** Put a turn in focus, or none; an unknown one changes nothing. */
  select(turn) {
    if (turn === this.#current || (turn !== null && !this.#turns.includes(turn))) return;
    this.#current = turn;
    this.#say();
  }

  next() {
    this.#step(1);
  }

  previous() {
    this.#step(-1);
  }

  toggleGold() {
    this.#gold = !this.#gold;
    this.#say();
  }

  #step(by) {
    if (!this.#turns.length) return;
    const place = this.#turns.indexOf(this.#current);
    const first = by > 0 ? 0 : this.#turns.length - 1;
    const to = place < 0 ? first : Math.min(this.#turns.length - 1, Math.max(0, place + by));
    this.select(this.#turns[to]);
  }

  #say() {
    this.dispatchEvent(new Event("change"));
  }
}
