/** A place in a list that j and k move; none at first. */
export class Cursor {
  constructor(length, place = -1) {
    this.length = length;
    this.place = place;
  }

  next() {
    return this.#to(this.place + 1);
  }

  previous() {
    return this.#to(this.place < 0 ? 0 : this.place - 1);
  }

  /** The list is another one now; the place stays where it can. */
  resize(length) {
    this.length = length;
    this.place = Math.min(this.place, length - 1);
  }

  #to(place) {
    this.place = this.length ? Math.min(this.length - 1, Math.max(0, place)) : -1;
    return this.place;
  }
}
