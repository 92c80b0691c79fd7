import { moment } from "../lib/moments.js";

const WORDS = {
  saved: "Saved",
  unsaved: "Not saved yet",
  saving: "Saving",
  offline: "Offline",
  conflict: "Two versions of this draft",
  lost: "No longer yours",
  locked: "Read only",
  refused: "Not saved",
  "signed-out": "Not saved",
};
const BARS = {
  offline: "The server does not answer. Your work is kept in this browser and is sent as soon as it does.",
  refused: "The server did not take the last change. Your work is kept in this browser.",
  locked: "",
  lost: "Your time on this sample is over, and nothing more is saved to the server. Your work is kept in this browser.",
};

/** Says how saving stands: a word in the bar, a line over the studio when there is something to know. */
export class SavingStatus {
  #word;
  #bar;

  constructor(word, bar) {
    this.#word = word;
    this.#bar = bar;
  }

  show(state, message, at = new Date()) {
    const time = moment(at, "clock");
    const bad = ["conflict", "lost", "refused", "signed-out"].includes(state);
    this.#word.dataset.state = state;
    this.#word.classList.toggle("is-bad", bad || state === "offline");
    this.#word.querySelector("[data-text]").textContent = state === "saved" && at.getTime() ? `${WORDS.saved} ${time}` : WORDS[state];
    this.#bar.hidden = !(state in BARS);
    if (this.#bar.hidden) return;
    this.#bar.classList.toggle("note--bad", bad);
    this.#bar.querySelector("[data-text]").textContent = [BARS[state], message].filter(Boolean).join(" ");
    this.#bar.querySelector("[data-act=retry]").hidden = state === "lost" || state === "locked";
  }
}
