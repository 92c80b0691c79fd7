import { moment } from "../lib/moments.js";
import { t } from "../lib/t.js";

const WORDS = {
  saved: t("Saved"),
  unsaved: t("Not saved yet"),
  saving: t("Saving"),
  offline: t("Offline"),
  conflict: t("Conflicting drafts"),
  lost: t("Reservation expired"),
  replaced: t("Image replaced"),
  locked: t("Read-only"),
  refused: t("Not saved"),
  "signed-out": t("Not saved"),
};
const BARS = {
  offline: t("Offline. Your work is saved in this browser and syncs when the server is back."),
  refused: t("The server rejected the last change. Your work is saved in this browser."),
  locked: "",
  replaced: "",
  lost: t("Your reservation of this sample expired. Changes are saved only in this browser."),
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
    const bad = ["conflict", "lost", "replaced", "refused", "signed-out"].includes(state);
    this.#word.dataset.state = state;
    this.#word.classList.toggle("is-bad", bad || state === "offline");
    this.#word.querySelector("[data-text]").textContent = state === "saved" && at.getTime() ? t("Saved %(time)s", { time }) : WORDS[state];
    this.#bar.hidden = !(state in BARS);
    if (this.#bar.hidden) return;
    this.#bar.classList.toggle("note--bad", bad);
    this.#bar.querySelector("[data-text]").textContent = [BARS[state], message].filter(Boolean).join(" ");
    this.#bar.querySelector("[data-act=retry]").hidden = ["lost", "replaced", "locked"].includes(state);
  }
}
