import { singleKey } from "../lib/keys.js";
import { t } from "../lib/t.js";
import { Stopwatch } from "../models/review-blind.js";
import { TurnSelection } from "../models/turns.js";

/**
 * One question about the crops of a trajectory: one crop large, the others as a film under it, an answer by key.
 *
 *   <sightline-judge>figures with data-crop · buttons with data-show · form with [name=seconds]</sightline-judge>
 *
 * Without it all crops stand under each other. Enter sends once something is chosen; data-key does the rest.
 */
export class SightlineJudge extends HTMLElement {
  #watch = new Stopwatch(() => performance.now());
  #crops;
  #ending = null;

  connectedCallback() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    const numbers = [...this.querySelectorAll("[data-crop]")].map((one) => Number(one.dataset.crop));
    this.#crops = new TurnSelection(numbers, numbers.at(-1) ?? null);
    this.#crops.addEventListener("change", () => this.#show(), { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    document.addEventListener("visibilitychange", () => this.#watch.show(!document.hidden), { signal });
    this.addEventListener("click", ({ target }) => this.#pick(target.closest("[data-show]")), { signal });
    this.querySelector("form").addEventListener("formdata", ({ formData }) => formData.set("seconds", this.#watch.seconds), { signal });
    this.classList.add("is-live");
    this.#show();
  }

  /** For the list of keys. */
  get keys() {
    const film = this.querySelectorAll("[data-crop]").length > 1;
    return [...(film ? [["[ ]", t("previous crop, next crop")]] : []), ["Enter", t("send, and go to the next question")]];
  }

  disconnectedCallback() {
    this.#ending?.abort();
  }

  #pick(button) {
    if (button) this.#crops.select(Number(button.dataset.show));
  }

  #key(event) {
    const key = singleKey(event);
    const act = { "[": () => this.#crops.previous(), "]": () => this.#crops.next() }[key];
    if (act) act();
    else if (key === "Enter" && !event.repeat && !event.target.closest("button, a, summary")) this.#send();
    else return;
    event.preventDefault();
  }

  /** The browser says what is missing, as it would for the button. */
  #send() {
    const form = this.querySelector("form");
    form.requestSubmit(form.querySelector("[data-send]"));
  }

  #show() {
    for (const crop of this.querySelectorAll("[data-crop]")) crop.hidden = Number(crop.dataset.crop) !== this.#crops.current;
    for (const button of this.querySelectorAll("[data-show]")) {
      const on = Number(button.dataset.show) === this.#crops.current;
      button.classList.toggle("is-on", on);
      if (on) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }
}
