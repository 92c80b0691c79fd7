import { alike, differences, mixed } from "../models/draft.js";
import { singleKey } from "../lib/keys.js";
import { copied, keepRows } from "./rows.js";

const listed = (things) => (things.length ? things.join("\n") : "none");

const boxWords = ({ box: [x1, y1, x2, y2], label }) => `${label ? `${label}, ` : ""}${x2 - x1} × ${y2 - y1} px at ${x1}, ${y1}`;

/** The boxes that the other side has not, and how many it has too. */
function boxesWords(own, other) {
  const others = other.map(boxWords);
  const alone = own.map(boxWords).filter((words) => !others.includes(words));
  const both = own.length - alone.length;
  return listed([...alone, ...(both ? [`${both} alike in both`] : [])]);
}

/** A part of a content in words: what a person compares. */
const WORDS = {
  Question: ({ question }) => question || "empty",
  "Options and answer": ({ answer_type, options, answer }) =>
    answer_type === "mc"
      ? listed(Object.entries(options).map(([key, text]) => `${answer.includes(key) ? "✓ " : ""}${key} ${text}`))
      : `open: ${listed(answer)}`,
  "Evidence boxes": ({ gold_boxes }, other) => boxesWords(gold_boxes, other.gold_boxes),
  "Reference toolchain": ({ reference_toolchain }) => listed(reference_toolchain.map(({ tool }) => tool)),
  "Tool plan": ({ targets, distractors, ordered }) =>
    listed([
      ...targets.map(({ tool, step }) => `${step} ${tool}`),
      ...distractors.map((tool) => `distractor ${tool}`),
      ...(ordered === null ? [] : [ordered ? "the order matters" : "any order is right"]),
    ]),
  Facets: ({ facets }) => listed(Object.entries(facets).map(([name, values]) => `${name}: ${values.join(", ")}`)),
};

/**
 * Two versions of one draft beside each other, to choose row by row. Nothing is overwritten until then. `chosen` gets the
 * content that was put together.
 */
export class ConflictView {
  #root;
  #chosen;
  #rows = [];
  #mine = null;
  #theirs = null;

  constructor(root, chosen) {
    this.#root = root;
    this.#chosen = chosen;
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
    this.#rows = differences(base, mine, theirs.content);
    this.#root.querySelector("[data-part=alike]").textContent = alike(mine, theirs.content).join(" · ");
    const body = this.#root.querySelector("tbody");
    keepRows(body, 0);
    keepRows(body, this.#rows.length, () => copied("row-conflict"));
    this.#draw();
    if (!this.#root.open) this.#root.showModal();
    body.querySelector("input:checked")?.focus();
  }

  #draw() {
    for (const [at, row] of this.#rows.entries()) {
      const line = this.#root.querySelector("tbody").children[at];
      line.dataset.row = at;
      line.querySelector("th").textContent = row.name;
      for (const side of ["mine", "theirs"]) {
        const cell = line.querySelector(`[data-side=${side}]`);
        const radio = cell.querySelector("input");
        radio.name = `row-${at}`;
        radio.checked = row.side === side;
        cell.classList.toggle("is-on", row.side === side);
        cell.querySelector("span").textContent = WORDS[row.name](row[side], row[side === "mine" ? "theirs" : "mine"]);
      }
    }
    const mine = this.#rows.filter(({ side }) => side === "mine").length;
    this.#root.querySelector("[data-part=sum]").textContent = `${mine} of ${this.#rows.length} from here, ${this.#rows.length - mine} from the server.`;
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
    this.#chosen(content);
  }

  #key(event) {
    const whole = { 1: "mine", 2: "theirs" }[singleKey(event)];
    if (whole) this.#whole(whole);
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#save();
    // It cannot be put off: what is typed on would go nowhere.
    else if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
  }
}
