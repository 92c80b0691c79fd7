/** Letters with at most this between them, in milliseconds, belong to one sentence. */
const PAUSE = 700;
const LEAST = 3;

const LETTER = /^\p{L}$/u;
const OF_A_SENTENCE = /^[\p{L}\p{N} ',]$/u;

/**
 * Tells a sentence that is typed where nothing takes text from keys that are commands: letters one right after the other,
 * of which at least one is no command. A command that led into a field, followed by what is typed there, is none.
 */
export class Typing {
  #text = "";
  #mark = null;
  #stray = false;
  #last = -Infinity;
  #inField = 0;
  #clock;

  constructor(clock = () => performance.now()) {
    this.#clock = clock;
  }

  /**
   * A key was pressed. `isCommand`: it does something here; `inField`: a field takes it; `mark()`: what to go back to.
   * @returns {{text: string, mark: object, inField: number}|null} the sentence so far, once it is one: its text, what
   *   there was before it, and how many of its letters are in the field that a command led to
   */
  press({ key, ctrlKey, altKey, metaKey, repeat }, { isCommand, inField, mark }) {
    const at = this.#clock();
    const begins = !this.#text || at - this.#last > PAUSE;
    if (ctrlKey || altKey || metaKey || repeat || !OF_A_SENTENCE.test(key) || (begins && (inField || !LETTER.test(key)))) {
      this.reset();
      return null;
    }
    // What is typed right after one command is what that command asked for.
    if (inField && this.#text.length < 2) {
      this.reset();
      return null;
    }
    if (begins) {
      this.reset();
      this.#mark = mark();
    }
    this.#last = at;
    this.#text += key;
    // Space moves the image while it is held, and says nothing by itself.
    this.#stray ||= !inField && !isCommand && LETTER.test(key);
    if (this.#text.length < LEAST || !this.#stray) {
      this.#inField += inField ? 1 : 0;
      return null;
    }
    const found = { text: this.#text, mark: this.#mark, inField: this.#inField };
    this.reset();
    return found;
  }

  reset() {
    this.#text = "";
    this.#mark = null;
    this.#stray = false;
    this.#inField = 0;
    this.#last = -Infinity;
  }
}
