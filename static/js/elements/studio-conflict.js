import { singleKey } from "../lib/keys.js";
import { t } from "../lib/t.js";
import { conflictRows, sumOf } from "../models/conflict.js";
import { alike, mixed } from "../models/draft.js";
import { drawnRuns } from "./difference.js";
import { copied, keepRows } from "./rows.js";
import { ConflictPictures } from "./studio-conflict-pictures.js";

const SIDES = ["mine", "theirs", "both"];
const NOT_TOGETHER = t("Choose one side.");

/**
 * Two versions of one draft beside each other, in words and on the image, to choose row by row. Nothing is overwritten
 * until then. `chosen` gets the content that was put together.
 */
export class ConflictView {
  #root;
  #chosen;
  #pictures;
  #rows = [];
  #mine = null;
  #theirs = null;

  constructor(root, image, chosen) {
    this.#root = root;
    this.#chosen = chosen;
    this.#pictures = image && new ConflictPictures(root.querySelector(".conflict__pictures"), image);
    root.addEventListener("change", ({ target }) => this.#pick(Number(target.closest("[data-row]").dataset.row), target.value));
    root.addEventListener("click", ({ target }) => {
      const whole = target.closest("[data-whole]")?.dataset.whole;
      if (whole) this.#whole(whole);
      else if (target.closest("[data-act=save]")) this.#save();
    });
    root.addEventListener("keydown", (event) => this.#key(event));
  }

  open(base, mine, theirs) {
    this.#mine = mine;
    this.#theirs = theirs.content;
    this.#rows = conflictRows(base, mine, theirs.content);
    this.#root.querySelector("[data-part=alike]").textContent = alike(mine, theirs.content).map((name) => t(name)).join(" · ");
    keepRows(this.#table, 0);
    keepRows(this.#table, this.#rows.length, () => copied("row-conflict"));
    for (const [at, row] of this.#rows.entries()) this.#drawRow(this.#table.children[at], row, at);
    this.#draw();
    if (!this.#root.open) this.#root.showModal();
    this.#pictures?.show(mine.gold_boxes, theirs.content.gold_boxes);
    this.#focus(0);
  }

  get #table() {
    return this.#root.querySelector("[data-part=rows]");
  }

  #drawRow(part, row, at) {
    part.dataset.row = at;
    part.querySelector("[data-part=name]").textContent = t(row.name);
    for (const side of SIDES) {
      const cell = part.querySelector(`[data-side=${side}]`);
      cell.querySelector("input").name = `row-${at}`;
      cell.querySelector("[data-part=words]").replaceChildren(...drawnRuns(row.runs[side] ?? []));
    }
    if (!row.both) part.querySelector("[data-side=both]").replaceChildren(NOT_TOGETHER);
  }

  #draw() {
    for (const [at, row] of this.#rows.entries()) {
      for (const choice of this.#table.children[at].querySelectorAll("input")) {
        choice.checked = choice.value === row.side;
        choice.closest("td").classList.toggle("is-on", choice.checked);
      }
    }
    this.#root.querySelector("[data-part=sum]").textContent = sumOf(this.#rows);
  }

  #pick(at, side) {
    this.#rows = this.#rows.with(at, { ...this.#rows[at], side });
    this.#draw();
  }

  #whole(side) {
    this.#rows = this.#rows.map((row) => ({ ...row, side }));
    this.#save();
  }

  #save() {
    const content = this.#rows.every(({ side }) => side === "mine") ? this.#mine : mixed(this.#theirs, this.#rows);
    this.#root.close();
    this.#chosen(content, this.#theirs);
  }

  #focus(at) {
    this.#table.children[at]?.querySelector("input:checked")?.focus();
  }

  #key(event) {
    const whole = { 1: "mine", 2: "theirs" }[singleKey(event)];
    const row = event.target.closest("[data-row]");
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (whole) this.#whole(whole);
    else if (by && row) this.#focus(Number(row.dataset.row) + by);
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#save();
    // It cannot be put off: what is typed on would go nowhere.
    else if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
  }
}
