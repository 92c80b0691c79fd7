import { endWords } from "../models/chain-end.js";

/**
 * The end of a toolchain beside the answer: templates/annotation/common/_chain_end.html. Where the last step measured another
 * number, it asks why its end still shows the answer.
 */
export class ChainEnd {
  #words;
  #field;

  constructor(root) {
    this.#words = root.querySelector("[data-part=end]");
    this.#field = root.querySelector("[data-part=end-reason]");
  }

  /** `end`: of annotation.workbench.present, null before the chain ran in full; `asks`: whether it can be verified now. */
  show(end, answers, asks) {
    this.#words.textContent = endWords(end, answers);
    this.#words.classList.toggle("is-bad", end?.agrees === false);
    this.#field.closest(".field").hidden = !asks || end?.agrees !== false;
  }

  get reason() {
    return this.#field.closest(".field").hidden ? "" : this.#field.value;
  }

  /** Go to where the reason is missing. */
  ask() {
    this.#field.closest(".field").hidden = false;
    this.#field.focus();
  }
}
