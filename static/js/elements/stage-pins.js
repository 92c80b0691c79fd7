/**
 * Buttons that stand on places of the picture, kept under a name: showing others of a name takes its first ones away.
 * A place is data-x and data-y, in pixels of the picture; the buttons come to lie over everything else on the stage.
 */
export class StagePins {
  #root;
  #shown = new Map();
  #viewport = null;

  constructor(root) {
    this.#root = root;
  }

  show(name, buttons) {
    for (const pin of this.#shown.get(name) ?? []) pin.remove();
    this.#shown.set(name, buttons);
    this.#root.append(...buttons);
    if (this.#viewport) this.place(this.#viewport);
  }

  place(viewport) {
    this.#viewport = viewport;
    for (const pin of [...this.#shown.values()].flat()) {
      const [x, y] = viewport.toScreen([Number(pin.dataset.x), Number(pin.dataset.y), 0, 0]);
      pin.style.left = `${Math.round(x)}px`;
      pin.style.top = `${Math.round(y)}px`;
    }
  }
}

/** A button for a place: its words on the stage and, longer, for who does not see it. */
export function pinAt({ x, y }, name, words, said, act) {
  const pin = document.createElement("button");
  pin.type = "button";
  pin.className = `pin ${name} stage__pin`;
  pin.textContent = words;
  pin.setAttribute("aria-label", said);
  pin.title = said;
  Object.assign(pin.dataset, { x, y });
  pin.addEventListener("click", act);
  return pin;
}
