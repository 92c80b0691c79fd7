import { askAs } from "./options.js";

/** How a person asked last in a benchmark, kept in the browser: the next sample begins like that. */
export class LastAsked {
  #storage;
  #name;

  /** @param {Storage} storage  @param {string} place the benchmark, and whose it is */
  constructor(storage, place) {
    this.#storage = storage;
    this.#name = `sightline asked ${place}`;
  }

  keep({ answer_type: type }) {
    try {
      if (this.#storage.getItem(this.#name) !== type) this.#storage.setItem(this.#name, type);
    } catch {
      // Without a storage every sample begins as an open question.
    }
  }

  /** Content to begin with: one that says nothing yet is asked as the last one was. */
  begun(content) {
    if (content.question || content.answer.length || content.gold_boxes.length || Object.keys(content.options).length) return content;
    try {
      return askAs(content, this.#storage.getItem(this.#name) ?? content.answer_type);
    } catch {
      return content;
    }
  }
}
