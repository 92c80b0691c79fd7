/** Choosing several in a row: a range goes from what was chosen last up to here, both included. */
export class RangePick {
  #last = null;

  /** The places, counted from 0, that choosing `place` concerns. */
  places(place, ranged) {
    const from = ranged ? (this.#last ?? place) : place;
    this.#last = place;
    const first = Math.min(from, place);
    return Array.from({ length: Math.abs(from - place) + 1 }, (_, step) => first + step);
  }
}
