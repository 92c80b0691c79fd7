import { meant } from "../models/workbench.js";
import { copied } from "./rows.js";

/** The field that finds a tool as its name is typed: arrows choose, Enter adds, Escape closes. */
export class WorkbenchAdder {
  #field;
  #list;
  #tools;
  #add;
  #found = [];
  #chosen = 0;

  constructor(root, tools, add) {
    [this.#field, this.#list] = [root.part("find"), root.part("found")];
    [this.#tools, this.#add] = [tools, add];
    this.#field.addEventListener("input", () => this.#look());
    this.#field.addEventListener("focus", () => this.#look());
    this.#field.addEventListener("keydown", (event) => this.#key(event));
    this.#field.addEventListener("blur", () => this.#close());
  }

  #look() {
    this.#found = this.#tools.suggested(this.#field.value);
    this.#chosen = 0;
    this.#list.replaceChildren(...this.#found.map((tool, at) => this.#row(tool, at)));
    if (!this.#found.length) this.#list.append(this.#nothing());
    this.#list.hidden = false;
    this.#field.setAttribute("aria-expanded", "true");
    this.#mark();
  }

  #row(tool, at) {
    const row = copied("row-bench-found");
    row.id = `add-found-${at}`;
    row.querySelector("b").textContent = tool.name;
    const chosen = Object.entries(meant(tool, this.#field.value)).map(([name, value]) => `${name} ${value}`);
    row.querySelector("span").textContent = [...chosen, tool.summary].join(" · ");
    row.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.#take(at);
    });
    return row;
  }

  /** Said where no tool fits, instead of a list that is not there. */
  #nothing() {
    const row = copied("row-bench-none");
    row.querySelector("b").textContent = this.#field.value.trim();
    return row;
  }

  #mark() {
    if (!this.#found.length) return this.#field.removeAttribute("aria-activedescendant");
    for (const [at, row] of [...this.#list.children].entries()) {
      row.setAttribute("aria-selected", String(at === this.#chosen));
      if (at === this.#chosen) row.scrollIntoView({ block: "nearest" });
    }
    this.#field.setAttribute("aria-activedescendant", `add-found-${this.#chosen}`);
  }

  #key(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by && this.#found.length) {
      event.preventDefault();
      this.#chosen = (this.#chosen + by + this.#found.length) % this.#found.length;
      this.#mark();
    } else if (event.key === "Enter" && this.#found.length && !this.#list.hidden) {
      event.preventDefault();
      this.#take(this.#chosen);
    } else if (event.key === "Escape") this.#close();
  }

  #take(at) {
    const tool = this.#found[at];
    const values = meant(tool, this.#field.value);
    this.#field.value = "";
    this.#close();
    this.#add(tool, values);
    this.#field.scrollIntoView({ block: "nearest" });
  }

  #close() {
    this.#list.hidden = true;
    this.#field.setAttribute("aria-expanded", "false");
    this.#field.removeAttribute("aria-activedescendant");
  }
}
