/** Reasons and decisions of a review: chips, the four buttons, and the form of the one that was chosen. */
export class ReviewFoot {
  #root;
  #review;

  /** @param {{decide: () => void, leave: () => void}} acts */
  constructor(root, review, acts, signal) {
    this.#root = root;
    this.#review = review;
    for (const chip of root.querySelectorAll("[data-reason]")) {
      // Its key reaches a chip that is put away, too.
      chip.addEventListener("click", () => chip.closest("[hidden]") || review.toggle(chip.dataset.reason), { signal });
    }
    for (const button of root.querySelectorAll("[data-decision]")) {
      button.addEventListener("click", () => this.#choose(button, acts.decide), { signal });
    }
    this.#comment.value = review.comment;
    this.#comment.addEventListener("input", () => review.write(this.#comment.value), { signal });
    root.querySelector("[data-confirm]").addEventListener("click", acts.decide, { signal });
    root.querySelector("[data-leave]").addEventListener("click", acts.leave, { signal });
    root.querySelector("[data-again]").addEventListener("click", acts.decide, { signal });
    review.addEventListener("change", () => this.#show(), { signal });
    this.#show();
  }

  get #comment() {
    return this.#root.querySelector("[name=comment]");
  }

  /** Accepting needs nothing more, so that it is done at once; the others open. */
  #choose(button, decide) {
    // Its key reaches a button that is put away, too.
    if (button.closest("[hidden]")) return;
    const { decision } = button.dataset;
    this.#review.choose(decision);
    if (decision === "accept") decide();
    else if (decision !== "fix_and_accept") this.#comment.focus();
  }

  #show() {
    const { decision, reasons, missing, sending, trouble } = this.#review;
    for (const chip of this.#root.querySelectorAll("[data-reason]")) {
      chip.setAttribute("aria-pressed", String(reasons.includes(chip.dataset.reason)));
    }
    const open = decision !== null && decision !== "accept";
    this.#root.querySelector("[data-four]").hidden = open;
    this.#root.querySelector("[data-open]").hidden = !open;
    for (const words of this.#root.querySelectorAll("[data-for]")) words.hidden = words.dataset.for !== decision;
    this.#comment.closest(".field").hidden = decision === "fix_and_accept";
    const confirm = this.#root.querySelector("[data-confirm]");
    confirm.disabled = Boolean(missing);
    this.#root.querySelector("[data-missing]").textContent = missing?.text ?? "";
    for (const button of [confirm, this.#root.querySelector("[data-decision=accept]")]) {
      if (sending) button.setAttribute("aria-busy", "true");
      else button.removeAttribute("aria-busy");
    }
    const note = this.#root.querySelector("[data-refused]");
    note.hidden = !trouble;
    note.querySelector("span").textContent = trouble;
  }
}
