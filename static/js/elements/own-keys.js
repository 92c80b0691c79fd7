import { chordOf } from "../lib/key-combinations.js";
import { t } from "../lib/t.js";

/** <sightline-keys> around the form of a person's keys: a field takes the key that is pressed, and says who has it too. */
export class SightlineKeys extends HTMLElement {
  connectedCallback() {
    this.addEventListener("keydown", (event) => this.#press(event));
    this.addEventListener("input", () => this.#check());
    this.addEventListener("click", ({ target }) => {
      const row = target.closest("[data-act=usual]")?.closest("[data-usual]");
      if (row) this.#write(row.querySelector("input"), row.dataset.usual);
    });
  }

  #press(event) {
    const chord = chordOf(event);
    if (!event.target.matches("[data-usual] input") || !chord || ["Tab", "Shift+Tab", "Escape"].includes(chord)) return;
    event.preventDefault();
    event.stopPropagation();
    this.#write(event.target, chord);
  }

  #write(field, chord) {
    field.value = chord;
    this.#check();
  }

  /** The server says what else a key must not be; here only what is told at once: two things by one key. */
  #check() {
    const rows = [...this.querySelectorAll("[data-usual]")];
    for (const row of rows) {
      const { value } = row.querySelector("input");
      const other = rows.find((one) => one !== row && one.parentElement === row.parentElement && one.querySelector("input").value === value);
      const words = other?.querySelector("label").textContent;
      this.#say(row, other ? t("%(key)s is also used for “%(words)s”. Choose another key for one of them.", { key: value, words }) : "");
      row.querySelector("[data-act=usual]").hidden = value === row.dataset.usual;
    }
  }

  #say(row, problem) {
    row.classList.toggle("is-bad", problem !== "");
    row.querySelector("input").toggleAttribute("aria-invalid", problem !== "");
    row.querySelector(".msg").hidden = !problem;
    row.querySelector("[data-text]").textContent = problem;
  }
}
