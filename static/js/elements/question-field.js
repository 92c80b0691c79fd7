import { write } from "./rows.js";

/** The question. Enter goes on to the answer (`next`); Shift Enter is a line of the question. */
export class QuestionField {
  #field;

  constructor(field, edit, next) {
    this.#field = field;
    field.addEventListener("input", () => edit((content) => ({ ...content, question: field.value }), "question"));
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey || event.isComposing) return;
      event.preventDefault();
      next();
    });
  }

  show({ question }) {
    write(this.#field, question);
  }
}
