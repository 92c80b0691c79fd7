import { t } from "../lib/t.js";
import { toggleFacet } from "../models/draft.js";
import { copied, keepRows } from "./rows.js";

const SHOWN = 6;
/** What is held for the number keys of the first facets. */
const SIGNS = ["", "⇧", "⌥"];
/** A name with a value of it. */
const BOTH = /^([^:]+):\s*(.+)$/;

/**
 * The facets of the sample: known values as chips, others typed with completion. Keys 1 to 9 switch the first, with Shift the
 * second, with Alt the third. Enter or a semicolon takes what was typed; Enter in an empty field goes on (`next`). `reveal`
 * shows the panel that an element is on.
 */
export class FacetEditor {
  #root;
  #known;
  #fields;
  #edit;
  #ways;
  #content = null;
  #added = [];

  /**
   * @param {{known: Object<string, string[]>, fields: object[]}} offered known: values in use by facet name, the most
   *   frequent first; fields: the facets of the task, which come first
   */
  constructor(root, { known, fields }, edit, ways) {
    this.#root = root;
    this.#ways = ways;
    this.#known = known;
    this.#fields = new Map(fields.map((field) => [field.name, field]));
    this.#edit = edit;
    root.addEventListener("click", ({ target }) => {
      const chip = target.closest("[data-value]");
      if (chip) this.#toggle(chip.dataset.facet, chip.dataset.value);
    });
    root.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !event.target.matches("input") || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      if (event.target.value.trim()) this.#typed(event.target);
      else this.#ways.next();
    });
    root.addEventListener("input", ({ target }) => {
      if (/[;\uff1b]\s*$/.test(target.value)) this.#typed(target);
    });
    root.addEventListener("change", ({ target }) => this.#typed(target));
    root.addEventListener("focusout", ({ target }) => setTimeout(() => this.#left(target)));
  }

  show(content) {
    this.#content = content;
    // A facet that got a value is there because of it, and goes with it.
    this.#added = this.#added.filter((name) => !(name in content.facets));
    const names = [...new Set([...this.#fields.keys(), ...Object.keys(this.#known), ...Object.keys(content.facets), ...this.#added])];
    const list = this.#root.querySelector("[data-part=facet-rows]");
    keepRows(list, names.length, () => copied("row-facet"));
    for (const [at, name] of names.entries()) this.#row(list.children[at], name, SIGNS[at]);
  }

  /** Switch the value that a number key stands for in the facet at a place; false when there is none. */
  key(number, place) {
    const chip = this.#root.querySelector("[data-part=facet-rows]").children[place]?.querySelectorAll("[data-value]")[number - 1];
    chip?.click();
    return chip !== undefined;
  }

  /** Go to where a value of the first facet is typed, or the name of one. */
  begin() {
    this.#ways.reveal(this.#root);
    this.#root.querySelector("input").focus();
  }

  #row(row, name, sign) {
    const task = this.#fields.get(name);
    const on = (this.#content.facets[name] ?? []).map(String);
    const listed = task ? task.values.map(({ value }) => value) : [];
    const used = task?.closed ? [] : (this.#known[name] ?? []).map(String);
    const known = [...new Set([...listed, ...used])];
    const shown = [...new Set([...known.slice(0, Math.max(SHOWN, listed.length)), ...on])];
    row.dataset.facet = name;
    row.querySelector("[data-part=facet-name]").textContent = name;
    row.querySelector("[data-part=facet-required]").hidden = !task?.required;
    const field = row.querySelector("input");
    field.hidden = task !== undefined && (task.closed || !task.given);
    field.setAttribute("aria-label", t("New value of %(name)s", { name }));
    const more = row.querySelector("datalist");
    more.id = `values-${[...row.parentElement.children].indexOf(row)}`;
    field.setAttribute("list", more.id);
    more.replaceChildren(...known.filter((value) => !on.includes(value)).map((value) => new Option(value, value)));
    const chips = row.querySelector("[data-part=chips]");
    keepRows(chips, shown.length, () => copied("row-chip"));
    for (const [at, value] of shown.entries()) {
      const chip = chips.children[at];
      Object.assign(chip.dataset, { facet: name, value });
      chip.setAttribute("aria-pressed", String(on.includes(value)));
      chip.querySelector("span").textContent = value;
      chip.disabled = task !== undefined && !task.given;
      chip.setAttribute("aria-description", task?.values.find((one) => one.value === value)?.help ?? "");
      const mark = chip.querySelector("kbd");
      mark.hidden = sign === undefined || at > 8;
      mark.textContent = mark.hidden ? "" : `${sign}${at + 1}`;
    }
  }

  /** A facet with one value takes another in its place. */
  #toggle(name, value) {
    this.#edit((content) => toggleFacet(content, name, value, this.#fields.get(name)?.single));
  }

  #typed(field) {
    const text = field.value.replace(/[;\uff1b]\s*$/, "").trim();
    field.value = "";
    if (!text) return;
    const facet = field.closest("[data-facet]")?.dataset.facet;
    const both = facet === undefined && BOTH.exec(text);
    if (both) this.#add(both[1].trim(), both[2]);
    else if (facet !== undefined) this.#add(facet, text);
    else {
      this.#added.push(text);
      this.show(this.#content);
      this.#root.querySelector(`[data-facet="${CSS.escape(text)}"] input`)?.focus();
    }
  }

  /** A name without a value is no facet: its row goes when its field is left. */
  #left(field) {
    const facet = field.closest("[data-facet]")?.dataset.facet;
    if (!this.#added.includes(facet) || field === document.activeElement || field.value.trim()) return;
    this.#added = this.#added.filter((name) => name !== facet);
    this.show(this.#content);
  }

  #add(facet, value) {
    const on = (this.#content.facets[facet] ?? []).map(String);
    if (!on.includes(value)) this.#toggle(facet, value);
  }
}
