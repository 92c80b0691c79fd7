import { intersection } from "../lib/geometry.js";

/**
 * Places of an image on its stage: buttons that stand on them, and the place that a person picks.
 *
 * Buttons are kept under a name: showing others of a name takes its first ones away. A place is data-x and data-y, in
 * pixels of the image; what is shown lies over everything else on the stage.
 */
export class StagePlaces {
  #root;
  #size;
  #viewer = null;
  #shown = new Map();
  #picked = null;
  #changed;

  /** @param {HTMLElement} root the stage  @param {{width: number, height: number}} size of the image  @param {() => void} changed picking began or ended */
  constructor(root, size, changed = () => {}) {
    this.#root = root;
    this.#size = size;
    this.#changed = changed;
  }

  open(viewer, signal) {
    this.#viewer = viewer;
    this.#root.addEventListener("pointerdown", (event) => this.#pressed(event), { signal, capture: true });
    this.place();
  }

  show(name, buttons) {
    for (const button of this.#shown.get(name) ?? []) button.remove();
    this.#shown.set(name, buttons);
    this.#root.append(...buttons);
    this.place();
  }

  /** Put everything where the image lies now. */
  place() {
    const viewport = this.#viewer?.viewport;
    if (!viewport) return;
    for (const button of [...this.#shown.values()].flat()) {
      const [x, y] = viewport.toScreen([Number(button.dataset.x), Number(button.dataset.y), 0, 0]);
      button.style.left = `${Math.round(x)}px`;
      button.style.top = `${Math.round(y)}px`;
    }
  }

  /** The next press on the image is a place: it is called back with {x, y}, once. */
  pick(callback) {
    this.#picked = callback;
    this.#root.classList.add("is-picking");
    this.#changed();
  }

  stopPicking() {
    this.#picked = null;
    this.#root.classList.remove("is-picking");
    this.#changed();
  }

  /** Whether the next press on the image is a place. */
  get isPicking() {
    return this.#picked !== null;
  }

  /** The point in the middle of what is seen of the image. */
  get middle() {
    const whole = [0, 0, this.#size.width, this.#size.height];
    const [left, top, right, bottom] = intersection(this.#viewer?.seen ?? whole, whole) ?? whole;
    return { x: Math.floor((left + right) / 2), y: Math.floor((top + bottom) / 2) };
  }

  /** Bring a place into the middle, as large as the image is now. */
  flyTo(x, y) {
    const [left, top, right, bottom] = this.#viewer?.seen ?? [0, 0, 0, 0];
    const [across, down] = [(right - left) / 2, (bottom - top) / 2];
    this.#viewer?.flyTo([x - across, y - down, x + across, y + down]);
  }

  #pressed(event) {
    if (!this.#picked || event.target.closest("button, .glass")) return;
    event.stopPropagation();
    event.preventDefault();
    const bounds = this.#root.getBoundingClientRect();
    const [x, y] = this.#viewer.viewport.pointOf(event.clientX - bounds.left, event.clientY - bounds.top);
    if (x < 0 || y < 0 || x >= this.#size.width || y >= this.#size.height) return;
    const picked = this.#picked;
    this.stopPicking();
    picked({ x: Math.floor(x), y: Math.floor(y) });
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
