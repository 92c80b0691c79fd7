import { write } from "./rows.js";

/**
 * The question. Enter goes on to the answer (`next`), with Alt to the other kind of answer; Shift Enter is a line of the
 * question.
 */
export class QuestionField {
  #field;

  constructor(field, edit, next) {
    this.#field = field;
    field.addEventListener("input", () => edit((content) => ({ ...content, question: field.value }), "question"));
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey || event.isComposing) return;
      event.preventDefault();
      next(event.altKey);
    });
  }

  /** A capital letter that is no key of the studio begins the question, wherever nothing else is typed. */
  begin(event) {
    const capital = event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey && /^\p{Lu}$/u.test(event.key);
    // The browser puts the letter where the focus is once the key press has been heard.
    if (capital && !this.#field.value && !event.target.closest?.("input, textarea, select")) this.#field.focus();
  }

  show({ question }) {
    write(this.#field, question);
  }
}
