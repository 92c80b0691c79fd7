/** How little of an image must be out of sight for a view to be a zoom: a fitted image moves by a pixel or two. */
const WHOLE = 0.98;

/**
 * The places of an image that a person held in view, in whole pixels of the original. `now` gives milliseconds.
 * A view counts if it shows a part of the image and stays for `held` seconds; of more than `most`, the longest stay.
 */
export class ZoomRecorder {
  #size;
  #held;
  #most;
  #now;
  #zooms;
  #box = null;
  #since = 0;

  constructor({ width, height }, { held, most, now, zooms = [] }) {
    this.#size = [width, height];
    this.#held = held;
    this.#most = most;
    this.#now = now;
    this.#zooms = zooms;
  }

  /** What is seen now: a box of the image, or null. */
  look(box) {
    const next = box && this.#rounded(box);
    if (String(next) === String(this.#box)) return;
    this.#close();
    this.#box = next;
    this.#since = this.#now();
  }

  /** Nothing is looked at until the next `look`, as while the page is hidden. */
  stop() {
    this.look(null);
  }

  /** All zooms so far, also the one that is held. */
  get zooms() {
    const open = this.#open();
    return open ? this.#kept([...this.#zooms, open]) : this.#zooms;
  }

  #close() {
    this.#zooms = this.zooms;
  }

  #open() {
    const seconds = Math.round((this.#now() - this.#since) / 100) / 10;
    return this.#box && seconds >= this.#held ? { box: this.#box, seconds } : null;
  }

  #kept(zooms) {
    if (zooms.length <= this.#most) return zooms;
    const shortest = zooms.reduce((least, one, at) => (one.seconds < zooms[least].seconds ? at : least), 0);
    return zooms.filter((_, at) => at !== shortest);
  }

  /** Null for a view of the full image, and for one beside it. */
  #rounded([x1, y1, x2, y2]) {
    const [width, height] = this.#size;
    const box = [Math.max(0, Math.floor(x1)), Math.max(0, Math.floor(y1)), Math.min(width, Math.ceil(x2)), Math.min(height, Math.ceil(y2))];
    const share = ((box[2] - box[0]) * (box[3] - box[1])) / (width * height);
    return box[2] > box[0] && box[3] > box[1] && share < WHOLE ? box : null;
  }
}
