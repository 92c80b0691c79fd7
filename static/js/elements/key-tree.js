const TREE = "[data-tree]";

/** Where the tree was scrolled to; it comes back whole at every change. */
let top = 0;

/**
 * The tree of keys of a log and the fields they are read as.
 *
 *   <sightline-key-tree> <form> [data-tree] with radio buttons, button[data-key="s"] for each field </form> </sightline-key-tree>
 *
 * In the tree the letter of a field presses its button, and Enter moves to the first field. Arrow keys are the browser's.
 */
export class SightlineKeyTree extends HTMLElement {
  #alive = null;

  connectedCallback() {
    const tree = this.querySelector(TREE);
    if (!tree) return;
    this.#alive = new AbortController();
    const options = { signal: this.#alive.signal };
    tree.scrollTop = top;
    tree.addEventListener("scroll", () => (top = tree.scrollTop), options);
    tree.addEventListener("keydown", (event) => this.#press(event), options);
    // Whoever went on to another key while an answer was on its way has chosen that one.
    tree.addEventListener("focusin", ({ target }) => (target.checked = true), options);
  }

  disconnectedCallback() {
    this.#alive?.abort();
  }

  #press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter") {
      event.preventDefault();
      this.querySelector("button[data-key]")?.focus();
      return;
    }
    const button = this.querySelector(`button[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (!button || !this.querySelector(`${TREE} input:checked`)) return;
    event.preventDefault();
    button.click();
  }
}
