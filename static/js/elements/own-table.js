import { chordOf, keysOf } from "../lib/key-combinations.js";
import { isTyping } from "../lib/keys.js";

const SHORT = { Ctrl: "⌃", Shift: "⇧", Alt: "⌥", Enter: "⏎", Delete: "⌦", Space: "␣" };

/**
 * The keys of a page as one person has them. A <kbd data-key-of="accept"> in a button says its key; pressed, the button is
 * clicked, unless the page does something else by that name.
 */
export class OwnTable {
  #table;
  #names;

  /** @param {{name: string, words: string, keys: string[]}[]} table of annotation.common.keys */
  constructor(table) {
    this.#table = table;
    this.#names = new Map(table.flatMap(({ name, keys }) => keys.map((key) => [key, name])));
  }

  /** For the list of keys: those that do something on this page, by one of `acts` or by a button that carries the mark. */
  rowsOn(root, acts = {}) {
    return this.rowsOf((name) => name in acts || root.querySelector(`[data-key-of="${name}"]`));
  }

  rowsOf(has) {
    return this.#table.filter(({ name }) => has(name)).map(({ keys, words }) => [keysOf(keys[0]).join(" "), words]);
  }

  /** Buttons say the key that presses them, in signs or (data-words) in words. */
  show(root) {
    for (const { name, keys } of this.#table) {
      const words = keysOf(keys[0]);
      const signs = words.map((key) => SHORT[key] ?? key);
      for (const mark of root.querySelectorAll(`[data-key-of="${name}"]`)) mark.textContent = "words" in mark.dataset ? words.join(" ") : signs.join("");
    }
  }

  /** As `show`; a key that does nothing now is not said either. `called`: other names that the marks have for ours. */
  showAlone(root, called = {}) {
    const names = new Set(this.#names.values());
    for (const mark of root.querySelectorAll("[data-key-of]")) {
      mark.dataset.kept ??= mark.dataset.keyOf;
      mark.dataset.keyOf = called[mark.dataset.kept] ?? mark.dataset.kept;
      if (!names.has(mark.dataset.keyOf)) mark.textContent = "";
    }
    this.show(root);
  }

  /** Whether this person has a key by this name. */
  knows(name) {
    return this.#table.some((row) => row.name === name);
  }

  /** What is done by a key, or undefined. */
  named(chord) {
    return this.#names.get(chord);
  }

  /** Do what the key is for: one of `acts` by name, else a click on the button that carries its mark. */
  press(event, root, acts = {}) {
    const name = this.named(chordOf(event));
    const held = event.ctrlKey || event.metaKey || event.altKey;
    if (!name || event.repeat || event.defaultPrevented || (isTyping(event.target) && !held)) return;
    if (document.querySelector("dialog[open]")) return;
    const button = root.querySelector(`[data-key-of="${name}"]`)?.closest("button, label");
    const act = acts[name] ?? (button && !button.closest("[hidden]") ? () => button.click() : null);
    if (!act) return;
    event.preventDefault();
    act();
  }
}
