/**
 * The copy of unsaved work in the browser's own storage. It holds {version, content, base, sent, image}: the draft
 * version it goes on from with that version's content, what was sent without an answer, and the image it was drawn on.
 */
export class DraftCopy {
  #storage;
  #name;
  #image;

  /** @param {Storage} storage; @param {string} address of the draft, and whose it is; @param {string} image of the page */
  constructor(storage, address, image = "") {
    this.#storage = storage;
    this.#image = image;
    this.#name = `sightline draft ${address}`;
  }

  /** Keep the work; false when the browser refuses, full or forbidden. */
  keep(work) {
    try {
      this.#storage.setItem(this.#name, JSON.stringify({ ...work, image: this.#image }));
      return true;
    } catch {
      return false;
    }
  }

  /** The unsaved work of an earlier visit, or null. */
  read() {
    try {
      const work = JSON.parse(this.#storage.getItem(this.#name));
      return work?.content && Number.isInteger(work.version) ? work : null;
    } catch {
      return null;
    }
  }

  drop() {
    try {
      this.#storage.removeItem(this.#name);
    } catch {
      // What cannot be written was never kept.
    }
  }
}
