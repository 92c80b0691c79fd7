import { singleKey } from "../lib/keys.js";
import { t, tp } from "../lib/t.js";
import { Cursor } from "../models/cursor.js";

/**
 * Groups of answers, decided by key.
 *
 *   <sightline-answers>[data-all] with [data-said] · [data-group] with buttons [data-said], [data-done] once decided</sightline-answers>
 *
 * J and K move, Enter goes to the next group that is open, and the key of a button of the current group presses it.
 * = presses the one that judges agree on, [data-judged]. With Shift a letter is always an option. * chooses the line that decides all groups at once.
 */
export class SightlineAnswers extends HTMLElement {
  #cursor = new Cursor(0);
  #all = false;
  #ending = null;

  connectedCallback() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    // Before the list of keys, which has "?" elsewhere.
    document.addEventListener("keydown", (event) => this.#key(event), { capture: true, signal });
    this.addEventListener("focusin", (event) => this.#follow(event), { signal });
    this.addEventListener("htmx:afterSwap", () => this.#mark(), { signal });
    if (this.#groups.length && !this.querySelector("[autofocus]")) this.#show(0);
    this.classList.add("is-live");
  }

  disconnectedCallback() {
    this.#ending?.abort();
  }

  /** For the list of keys, which "?" opens where no group is open. */
  get keys() {
    return [["J K", tp("key", "move")], ["Enter", t("next open group")], ["A B …", t("is this option")], ["0", t("is none of the options")],
      ["Y N", t("same as accepted, not accepted")], ["?", t("leave for a judge")], ["=", t("as the judges agree")], ["*", t("decide all groups at once")]];
  }

  get #groups() {
    return [...this.querySelectorAll("[data-group]")];
  }

  #key(event) {
    if (document.querySelector("dialog[open]") || event.repeat) return;
    const key = singleKey(event);
    const own = { j: () => this.#move("next"), k: () => this.#move("previous"), "*": () => this.#chooseAll() };
    if (key === "Enter") {
      if (event.target.closest("button, a, summary, input")) return;
      this.#next();
    } else if (!event.shiftKey && own[key]) own[key]();
    else if (key === "*") this.#chooseAll();
    else if (!this.#press(key)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  #move(way) {
    this.#cursor.resize(this.#groups.length);
    this.#show(this.#cursor[way]());
  }

  /** The button of the current group with this key; the next open group is the current one at once. */
  #press(key) {
    const from = this.#all ? this.querySelector("[data-all]") : this.#groups[this.#cursor.place];
    const wanted = key === "=" && !this.#all ? "[data-judged]" : `[data-said="${CSS.escape(key ?? "")}"]`;
    const button = key && from?.querySelector(wanted);
    if (!button) return false;
    button.click();
    if (!this.#all) this.#next();
    return true;
  }

  /** The next group that is open; behind the last one, what is left of the list. */
  #next() {
    const groups = this.#groups;
    const place = groups.findIndex((group, at) => at > this.#cursor.place && !("done" in group.dataset));
    if (place >= 0) this.#show(place);
    else this.querySelector("[data-again]")?.focus();
  }

  #chooseAll() {
    this.#all = this.querySelector("[data-all]") !== null;
    this.#mark();
    this.querySelector("[data-all]")?.scrollIntoView({ block: "nearest" });
  }

  #show(place) {
    this.#all = false;
    this.#cursor.resize(this.#groups.length);
    this.#cursor.place = place;
    this.#mark();
    const group = this.#groups[place];
    group?.scrollIntoView({ block: "nearest" });
    if (group && !group.contains(document.activeElement)) document.activeElement?.blur?.();
  }

  #follow(event) {
    const place = this.#groups.findIndex((group) => group.contains(event.target));
    if (place < 0) return;
    this.#all = false;
    this.#cursor.resize(this.#groups.length);
    this.#cursor.place = place;
    this.#mark();
  }

  #mark() {
    for (const [at, group] of this.#groups.entries()) {
      const here = !this.#all && at === this.#cursor.place;
      group.classList.toggle("is-here", here);
      if (here) group.setAttribute("aria-current", "true");
      else group.removeAttribute("aria-current");
    }
    this.querySelector("[data-all]")?.classList.toggle("is-here", this.#all);
  }
}
