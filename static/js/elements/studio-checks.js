import { t, tn } from "../lib/t.js";
import { copied, keepRows } from "./rows.js";

const WORDS = { error: t("Fix before submitting"), warning: t("Warning"), hint: t("Info") };
const COUNTED = {
  error: (n) => tn("%(count)s error", "%(count)s errors", n),
  warning: (n) => tn("%(count)s warning", "%(count)s warnings", n),
  hint: (n) => tn("%(count)s hint", "%(count)s hints", n),
};
const ORDER = ["error", "warning", "hint"];

/** The field that a check is about, without the place in it: "gold_boxes[1].label" is about gold_boxes. */
const fieldOf = (check) => check.field.split(/[.[]/)[0];

/** What the server found: beside the field it is about, and in a list where it is about none of them. */
export class Checks {
  #root;
  #reveal;
  #all = null;

  /** `reveal(element)` brings a field into sight that lies in a panel which is not shown. */
  constructor(root, reveal) {
    this.#root = root;
    this.#reveal = reveal;
  }

  /** @param {{field: string, level: string, text: string}[]|null} checks null before the first answer */
  show(checks) {
    this.#all = checks;
    const sorted = (checks ?? []).toSorted((a, b) => ORDER.indexOf(a.level) - ORDER.indexOf(b.level));
    const placed = this.#places.flatMap(({ dataset }) => dataset.checks.split(" "));
    const list = this.#root.querySelector("[data-part=checks]");
    this.#lines(list, sorted.filter((check) => !placed.includes(fieldOf(check))));
    const counts = ORDER.map((level) => [level, sorted.filter((check) => check.level === level).length]).filter(([, n]) => n);
    const words = counts.map(([level, n]) => COUNTED[level](n)).join(", ");
    this.#root.querySelector("[data-part=checks-n]").textContent = checks === null ? t("starts with your first edit") : words || t("no problems found");
    for (const place of this.#places) this.#beside(place, sorted);
  }

  /** What was found about these fields of the content holds no longer; the server says again what does. */
  outdate(fields) {
    const about = new Set(fields.flatMap((field) => [field, `${field}s`]));
    const left = this.#all?.filter((check) => !about.has(fieldOf(check)));
    if (left && left.length < this.#all.length) this.show(left);
  }

  get errors() {
    return (this.#all ?? []).filter(({ level }) => level === "error");
  }

  /** Put the focus into the field of the first error. */
  visit() {
    const name = this.errors.length ? fieldOf(this.errors[0]) : null;
    const place = this.#places.find(({ dataset }) => dataset.checks.split(" ").includes(name));
    if (!place) return;
    this.#reveal(place);
    place.closest("[data-field]")?.querySelector("textarea, input, button")?.focus();
  }

  get #places() {
    return [...this.#root.querySelectorAll("[data-checks]")];
  }

  #lines(list, checks) {
    keepRows(list, checks.length, () => copied("row-check"));
    for (const [at, check] of checks.entries()) this.#line(list.children[at], check);
  }

  #beside(place, checks) {
    const own = checks.filter((check) => place.dataset.checks.split(" ").includes(fieldOf(check)));
    this.#lines(place, own);
    place.closest("[data-field]")?.classList.toggle("is-bad", own.some(({ level }) => level === "error"));
  }

  #line(row, { level, text }) {
    row.className = `msg${level === "error" ? " msg--bad" : ""}`;
    for (const icon of row.querySelectorAll("[data-level]")) icon.toggleAttribute("hidden", icon.dataset.level !== level);
    row.title = WORDS[level];
    row.querySelector("[data-text]").textContent = text;
  }
}
