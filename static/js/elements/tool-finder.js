import { around, t } from "../lib/t.js";
import { copied } from "./rows.js";

/**
 * The field that finds tools of the bank: a combobox whose list is grouped by segment. Enter or a semicolon takes the chosen
 * one, as a distractor with Shift or a - before its name; a name that the bank lacks can be taken too. Enter in the empty
 * field goes on (`next`). `shown(tool)` says what stands beside a tool that the plan has; `draw(canvas, name)` draws it where
 * the image has it, or hides the canvas.
 */
export class ToolFinder {
  #field;
  #list;
  #segment;
  #bank;
  #take;
  #shown;
  #draw;
  #next;
  #names = [];
  #chosen = 0;

  constructor(root, bank, { take, shown, draw, next }) {
    [this.#field, this.#list, this.#segment] = ["find", "found", "segment"].map((name) => root.querySelector(`[data-part="${name}"]`));
    [this.#bank, this.#take, this.#shown, this.#draw, this.#next] = [bank, take, shown, draw, next];
    this.#field.addEventListener("input", () => this.#typed());
    this.#field.addEventListener("keydown", (event) => this.#key(event));
    this.#field.addEventListener("blur", () => this.#close());
    this.#segment.addEventListener("change", () => this.#refind());
  }

  /** Take a name that was typed and not yet ended, unless it is only the beginning of one that nothing was chosen for. */
  settle() {
    if (this.#names.length || this.#bank.find(this.#sought.text)) this.#end();
  }

  /** What is looked for, and whether it is to be a distractor. */
  get #sought() {
    const [, sign, text] = /^\s*(-?)\s*(.*?)\s*$/.exec(this.#field.value);
    return { text, distracts: sign !== "" };
  }

  #typed() {
    const ended = /^(.*)[;\uff1b]\s*$/.exec(this.#field.value);
    if (!ended) return this.#look();
    this.#field.value = ended[1];
    this.#look();
    this.#end();
  }

  #end(held = false) {
    const { text, distracts } = this.#sought;
    if (text) this.#done(this.#names[this.#chosen] ?? this.#bank.find(text)?.name ?? text, distracts || held);
  }

  #refind() {
    this.#field.focus();
    this.#look();
  }

  #look() {
    const { text } = this.#sought;
    const groups = this.#bank.suggested(text, this.#segment.value);
    this.#names = [];
    this.#list.replaceChildren(...groups.map((group) => this.#group(group, text)));
    if (text && !this.#bank.find(text)) this.#list.append(this.#newOne(text));
    this.#chosen = 0;
    this.#list.hidden = this.#names.length === 0;
    // Where no tool has an image there is no column of empty frames either.
    this.#list.classList.toggle("is-pictured", this.#list.querySelector("canvas:not([hidden])") !== null);
    this.#field.setAttribute("aria-expanded", String(this.#names.length > 0));
    this.#mark();
  }

  #group({ title, tools }, text) {
    const group = copied("row-found-group");
    group.setAttribute("aria-label", title);
    group.querySelector("p").textContent = title;
    for (const { tool, also } of tools) {
      const row = this.#option(tool.name);
      const [name, other] = ["name", "also"].map((part) => row.querySelector(`[data-part="${part}"]`));
      name.append(...(also ? [tool.name] : marked(tool.name, text)));
      if (also) other.append(...around(t("also “%(name)s”"), "name", ...marked(also, text)));
      this.#draw(row.querySelector("canvas"), tool.name);
      row.querySelector(".tag--gold").textContent = this.#shown(tool);
      row.querySelector(".tag--line").textContent = tool.state === "proposed" ? t("proposed") : "";
      group.append(row);
    }
    return group;
  }

  #newOne(text) {
    const row = this.#option(text);
    row.querySelector("[data-part=name]").textContent = `“${text}”`;
    row.querySelector("[data-part=also]").textContent = t("not in the bank: submitting proposes it");
    return row;
  }

  #option(name) {
    const row = copied("row-found");
    row.id = `found-${this.#names.push(name) - 1}`;
    row.onpointerdown = (event) => {
      event.preventDefault();
      this.#done(name, event.shiftKey || this.#sought.distracts);
    };
    return row;
  }

  #mark() {
    for (const [at, row] of [...this.#list.querySelectorAll("[role=option]")].entries()) {
      row.setAttribute("aria-selected", String(at === this.#chosen));
      if (at === this.#chosen) row.scrollIntoView({ block: "nearest" });
    }
    this.#field.setAttribute("aria-activedescendant", this.#names.length ? `found-${this.#chosen}` : "");
  }

  #key(event) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by && this.#names.length) {
      this.#chosen = (this.#chosen + by + this.#names.length) % this.#names.length;
      this.#mark();
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && !event.isComposing) {
      if (this.#sought.text) this.#end(event.shiftKey);
      else this.#next();
    } else if (event.key === "Escape" && this.#names.length) this.#close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #done(name, distracts) {
    this.#take(name, distracts);
    this.#field.value = "";
    this.#close();
  }

  #close() {
    this.#names = [];
    this.#list.hidden = true;
    this.#field.setAttribute("aria-expanded", "false");
    this.#field.setAttribute("aria-activedescendant", "");
  }
}

/** A name in pieces, with the text that was found in it marked. */
function marked(name, text) {
  const at = name.toLowerCase().indexOf(text.toLowerCase());
  if (at < 0) return [name];
  const mark = document.createElement("mark");
  mark.textContent = name.slice(at, at + text.length);
  return [name.slice(0, at), mark, name.slice(at + text.length)];
}
