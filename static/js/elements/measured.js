import { t } from "../lib/t.js";

const words = (name) => name.replaceAll("_", " ");

/** A measured value as a person reads it; what is not there is n/a, never 0. */
function shownValue(value) {
  if (value === null || value === undefined) return "n/a";
  if (Array.isArray(value)) return value.length ? value.map(shownValue).join(", ") : "none";
  if (typeof value !== "number" || Number.isInteger(value)) return String(value);
  return value.toLocaleString("en", { maximumSignificantDigits: 4, useGrouping: false });
}

/** What a step measured: values as a list, rows as tables. */
export class Results {
  #box;

  constructor(box) {
    this.#box = box;
  }

  /** `step` as the server sends it; `nothing`: said where there is no step. */
  show(step, nothing = "") {
    const note = document.createElement("p");
    note.className = "small muted";
    const found = step?.measurements;
    note.textContent = !step ? nothing : found ? t("An image, no measurement.") : t("Measured when it has run in full …");
    const parts = found ? [...this.#values(found.values), ...found.tables.map((table) => this.#table(table))] : [];
    this.#box.replaceChildren(...(parts.length ? parts : [note]));
  }

  #values(values) {
    const rows = Object.entries(values);
    if (!rows.length) return [];
    const list = document.createElement("dl");
    list.className = "kv";
    for (const [name, value] of rows) {
      const [term, said] = [document.createElement("dt"), document.createElement("dd")];
      [term.textContent, said.textContent] = [words(name), shownValue(value)];
      list.append(term, said);
    }
    return [list];
  }

  #table({ name, columns, rows, total }) {
    const table = document.createElement("table");
    table.className = "table bench__table";
    const caption = table.createCaption();
    caption.className = "xs muted";
    caption.textContent = rows.length < total ? t("%(name)s: the first %(count)s of %(total)s", { name: words(name), count: rows.length, total }) : words(name);
    const head = table.createTHead().insertRow();
    for (const column of ["", ...columns]) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.textContent = words(column) || "#";
      head.append(cell);
    }
    const body = table.createTBody();
    for (const [at, row] of rows.entries()) {
      const line = body.insertRow();
      for (const value of [at + 1, ...row]) line.insertCell().textContent = shownValue(value);
    }
    return table;
  }
}
