import { write } from "./rows.js";

/** "Cannot be answered" with its reason: what an annotator says of another's question instead of an answer. */
export class Unanswerable {
  #box;
  #reason;

  constructor(root, edit) {
    this.#box = root.querySelector("[type=checkbox]");
    this.#reason = root.querySelector("textarea");
    this.#box.addEventListener("change", () => {
      const { checked } = this.#box;
      edit((content) => ({ ...content, unanswerable: checked ? this.#reason.value : null }));
      if (checked) this.#reason.focus();
    });
    this.#reason.addEventListener("input", () => edit((content) => ({ ...content, unanswerable: this.#reason.value }), "unanswerable"));
  }

  show({ unanswerable }) {
    const on = unanswerable !== null;
    this.#box.checked = on;
    this.#reason.closest("[data-why]").hidden = !on;
    // The words stay in the field while the box is off, so that they come back with it.
    if (on) write(this.#reason, unanswerable);
  }
}
