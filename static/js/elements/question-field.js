import { write } from "./rows.js";

const OWN = "input, textarea, select, button, a, summary, .plan-target";

/**
 * The question. Enter goes on to the answer (`next`), with Alt to the other kind of answer; Shift Enter is a line of the
 * question. `reveal` shows the panel that an element is on.
 */
export class QuestionField {
  #field;
  #reveal;

  constructor(field, edit, { next, reveal }) {
    this.#field = field;
    this.#reveal = reveal;
    field.addEventListener("input", () => edit((content) => ({ ...content, question: field.value }), "question"));
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey || event.isComposing) return;
      event.preventDefault();
      next(event.altKey);
    });
  }

  /** A capital letter that is no key of the studio begins the question, wherever nothing else is typed; so does Enter. */
  begin(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const capital = event.shiftKey && /^\p{Lu}$/u.test(event.key);
    // The browser puts the letter where the focus is once the key press has been heard.
    if (capital && !this.#field.value && !event.target.closest?.("input, textarea, select")) this.focus();
    else if (event.key === "Enter" && !event.shiftKey && !event.target.closest?.(OWN)) {
      event.preventDefault();
      this.focus();
    }
  }

  focus() {
    this.#reveal(this.#field);
    this.#field.focus();
  }

  show({ question }) {
    write(this.#field, question);
  }
}
