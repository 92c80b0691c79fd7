import { write } from "./rows.js";

const OWN = "input, textarea, select, button, a, summary, .plan-target";

/**
 * The question. Enter goes on to the answer (`next`), with Alt to the other kind of answer; Shift Enter is a line of the
 * question. `reveal` shows the panel that an element is on.
 */
export class QuestionField {
  #field;
  #edit;
  #next;
  #reveal;

  constructor(field, edit, { next, reveal }) {
    this.#field = field;
    this.#edit = edit;
    this.#next = next;
    this.#reveal = reveal;
    field.addEventListener("input", () => edit((content) => ({ ...content, question: field.value }), "question"));
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey || event.isComposing) return;
      event.preventDefault();
      next(event.altKey);
    });
  }

  /**
   * A letter with Shift that is no key of the studio begins the question, wherever nothing else is typed; so does Enter.
   * If the question is fixed, Enter goes to the answer.
   */
  begin(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const fixed = this.#field.readOnly;
    // With Caps Lock it is a small letter.
    const capital = !fixed && event.shiftKey && /^\p{L}$/u.test(event.key);
    // The browser puts the letter where the focus is once the key press has been heard.
    if (capital && !this.#field.value && !event.target.closest?.("input, textarea, select")) this.focus();
    else if (event.key === "Enter" && !event.shiftKey && !event.target.closest?.(OWN)) {
      event.preventDefault();
      if (fixed) this.#next(false);
      else this.focus();
    }
  }

  /** Write behind what is there, and go on there. */
  write(text) {
    const before = this.#field.value;
    const gap = before && !/\s$/.test(before) ? " " : "";
    this.#edit((content) => ({ ...content, question: before + gap + text }), "question");
    this.focus();
    this.#field.setSelectionRange(this.#field.value.length, this.#field.value.length);
  }

  focus() {
    this.#reveal(this.#field);
    this.#field.focus();
  }

  show({ question }) {
    write(this.#field, question);
  }
}
