import { t } from "../lib/t.js";

const OPEN = "guidelines open";

/** Focus and Escape of the page stay with what is worked on. */
const plain = ({ altKey, ctrlKey, metaKey, shiftKey }) => !altKey && !ctrlKey && !metaKey && !shiftKey;

/** Words as headings and labels are compared. */
const folded = (words) => words.trim().toLowerCase();

/**
 * The guidelines beside the page: <sightline-guidelines data-src="…" hidden>, and a button [data-opens-guidelines] anywhere.
 * F1 opens and closes them, at the heading named like the field that has the focus: its ancestor's data-guide. They are
 * fetched once, and stay open on the pages after this one.
 */
export class SightlineGuidelines extends HTMLElement {
  #ending = null;
  #fetched = null;

  connectedCallback() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    document.addEventListener("keydown", (event) => this.#key(event), { signal, capture: true });
    document.addEventListener("click", (event) => this.#click(event), { signal });
    if (sessionStorage.getItem(OPEN)) this.open();
  }

  disconnectedCallback() {
    this.#ending?.abort();
  }

  /** For the list of keys. */
  get keys() {
    return [["F1", t("open the guidelines at this field; again: close them")]];
  }

  async open(field = null) {
    this.hidden = false;
    sessionStorage.setItem(OPEN, "1");
    this.#say(true);
    await this.#text();
    this.#turnTo(field);
  }

  close() {
    const inside = this.contains(document.activeElement);
    this.hidden = true;
    sessionStorage.removeItem(OPEN);
    this.#say(false);
    if (inside) document.querySelector("[data-opens-guidelines]")?.focus();
  }

  #key(event) {
    if (event.key === "Escape" && this.contains(event.target)) return this.#done(event, () => this.close());
    if (event.key !== "F1" || !plain(event) || document.querySelector("dialog[open]")) return;
    const field = document.activeElement?.closest("[data-guide]")?.dataset.guide ?? null;
    const shown = !this.hidden && (field === null || field === this.dataset.at);
    this.#done(event, () => (shown ? this.close() : this.open(field)));
  }

  #done(event, act) {
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  #click({ target }) {
    if (target.closest("[data-opens-guidelines]")) this[this.hidden ? "open" : "close"]();
    if (target.closest("[data-closes-guidelines]")) this.close();
  }

  #say(open) {
    for (const button of document.querySelectorAll("[data-opens-guidelines]")) button.setAttribute("aria-expanded", String(open));
  }

  /** The text, fetched once; a failure is said, and opening again tries again. */
  #text() {
    this.#fetched ??= fetch(this.dataset.src, { redirect: "error" })
      .then((answer) => (answer.ok ? answer.text() : Promise.reject(new Error(answer.statusText))))
      .then((html) => {
        this.querySelector("[data-text]").innerHTML = html;
      })
      .catch(() => {
        this.#fetched = null;
        this.querySelector("[data-text]").textContent = t("The guidelines can't be loaded. Check the connection, and open them again.");
      });
    return this.#fetched;
  }

  #turnTo(field) {
    this.dataset.at = field ?? "";
    if (!field) return;
    const headings = [...this.querySelectorAll("h1, h2, h3, h4, h5, h6")];
    const wanted = folded(field);
    const found = headings.find((one) => folded(one.textContent) === wanted) ?? headings.find((one) => folded(one.textContent).includes(wanted));
    found?.scrollIntoView({ block: "start" });
  }
}
