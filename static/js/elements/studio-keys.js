import { chordOf, keysOf } from "../lib/chords.js";
import { isTyping } from "../lib/keys.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const SHORT = { Ctrl: "⌃", Shift: "⇧", Alt: "⌥", Enter: "⏎", Delete: "⌦", Space: "␣" };

/** What keys do that stay what they are. */
const FIXED = [
  ["← → ↑ ↓", "nudge the box by 1 px, Shift 10 px"],
  ["Alt ←", "resize the box"],
  ["Tab", "next box or field"],
  ["Enter", "from the question to the answer; next option"],
  ["Alt Enter", "this option is the answer"],
  ["Escape", "let go of the box"],
  ["1 … 9", "value of the first facet"],
  ["Alt ↑", "move an option or a target"],
];

/** The keys of the studio as one person has them. */
export class StudioKeys {
  #table;
  #names;

  /** @param {{name: string, words: string, keys: string[]}[]} table of annotation.views.studio_keys */
  constructor(table) {
    this.#table = table;
    this.#names = new Map(table.flatMap(({ name, keys }) => keys.map((key) => [key, name])));
  }

  /** For the list of keys. */
  get rows() {
    return [...this.#table.map(({ keys, words }) => [keysOf(keys[0]).join(" "), words]), ...FIXED];
  }

  /** Buttons say the key that presses them, in signs or (data-words) in words. */
  show(root) {
    for (const { name, keys } of this.#table) {
      const words = keysOf(keys[0]);
      const signs = words.map((key) => SHORT[key] ?? key);
      for (const mark of root.querySelectorAll(`[data-key-of="${name}"]`)) mark.textContent = "words" in mark.dataset ? words.join(" ") : signs.join("");
    }
  }

  /** What a key press asks for, as [name, …values]; null when it is none of the studio's. */
  asked(event) {
    const chord = chordOf(event);
    if (event.ctrlKey || event.metaKey) return this.#named(chord);
    // A target of the tool plan has arrows and Delete of its own.
    if (event.target.closest(".plan-target")) return null;
    const arrow = ARROWS[event.key];
    if (arrow && !event.target.closest("input, textarea, select, [role=tab]")) {
      const by = arrow.map((one) => one * (event.shiftKey ? 10 : 1));
      return [event.altKey ? "grow" : "nudge", ...by];
    }
    if (event.key === "Escape") return ["escape"];
    if (isTyping(event.target)) return null;
    return /^[1-9]$/.test(chord) ? ["facet", Number(chord)] : this.#named(chord);
  }

  #named(chord) {
    return this.#names.has(chord) ? [this.#names.get(chord)] : null;
  }
}
