/** The drafted fields that a person dismissed on a sample, kept for the pages of this tab. */
export class Dismissed {
  #storage;
  #name;

  /** @param {{getItem: Function, setItem: Function}} storage  @param {string} about the sample and the person */
  constructor(storage, about) {
    this.#storage = storage;
    this.#name = `sightline drafts dismissed ${about}`;
  }

  get fields() {
    try {
      const kept = JSON.parse(this.#storage.getItem(this.#name) ?? "[]");
      return Array.isArray(kept) ? kept : [];
    } catch {
      return [];
    }
  }

  add(field) {
    try {
      this.#storage.setItem(this.#name, JSON.stringify([...new Set([...this.fields, field])]));
    } catch {
      // A full storage keeps nothing: the draft is offered again after a reload.
    }
  }
}
