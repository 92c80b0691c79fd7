import { isTyping } from "../lib/keys.js";
import { pinched } from "../models/pinch.js";

const MIDDLE = 1;
const PRESSED_BY_SPACE = "button, a, summary, input, [role=tab], .plan-target";

/**
 * What moves the image in every mode: dragging with Space held or with the middle button, and two fingers. A press ends a
 * movement that is under way, so that what is drawn lies where it was pressed.
 */
export class StageGestures {
  #stage;
  #viewer;
  #cancel;
  #fingers = new Map();
  /** The pointer that moves the image, and where it was last. */
  #hand = null;
  #pinching = false;

  /** @param {() => void} cancel leaves what is being drawn as it was */
  constructor(stage, view, viewer, cancel, signal) {
    this.#stage = stage;
    this.#viewer = viewer;
    this.#cancel = cancel;
    // Before the boxes and the library hear of it.
    const options = { signal, capture: true };
    view.addEventListener("pointerdown", (event) => this.#down(event), options);
    view.addEventListener("pointermove", (event) => this.#move(event), options);
    for (const name of ["pointerup", "pointercancel"]) view.addEventListener(name, (event) => this.#up(event), options);
    // The middle button would begin the browser's own scrolling.
    view.addEventListener("mousedown", (event) => event.button === MIDDLE && event.preventDefault(), options);
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    document.addEventListener("keyup", ({ code }) => code === "Space" && this.#hold(false), { signal });
    window.addEventListener("blur", () => this.#hold(false), { signal });
  }

  #key(event) {
    const held = event.ctrlKey || event.metaKey || event.altKey;
    if (event.code !== "Space" || held || isTyping(event.target) || event.target.closest?.(PRESSED_BY_SPACE)) return;
    if (document.querySelector("dialog[open]")) return;
    event.preventDefault();
    this.#hold(true);
  }

  #hold(on) {
    this.#stage.classList.toggle("is-panning", on || this.#hand !== null);
    this.#stage.dataset.space = String(on);
  }

  #down(event) {
    this.#viewer.still();
    if (event.pointerType === "touch") this.#fingers.set(event.pointerId, this.#point(event));
    const bySpace = event.button === 0 && this.#stage.dataset.space === "true";
    if (this.#fingers.size === 2) {
      this.#pinching = true;
      this.#cancel();
    } else if (event.button === MIDDLE || bySpace) {
      this.#hand = { id: event.pointerId, at: this.#point(event) };
      event.currentTarget.setPointerCapture(event.pointerId);
      this.#stage.classList.add("is-panning");
      event.preventDefault();
    } else if (!this.#pinching) return;
    event.stopPropagation();
  }

  #move(event) {
    const to = this.#point(event);
    if (this.#hand?.id === event.pointerId) {
      this.#viewer.shift(to[0] - this.#hand.at[0], to[1] - this.#hand.at[1]);
      this.#hand.at = to;
    } else if (this.#pinching && this.#fingers.has(event.pointerId)) this.#pinch(event.pointerId, to);
    else return;
    event.stopPropagation();
  }

  #pinch(id, to) {
    const before = [...this.#fingers.values()];
    this.#fingers.set(id, to);
    if (this.#fingers.size !== 2) return;
    const { factor, about, shift } = pinched(before, [...this.#fingers.values()]);
    this.#viewer.shift(...shift);
    this.#viewer.magnifyAbout(factor, about);
  }

  #up(event) {
    this.#fingers.delete(event.pointerId);
    // The library has seen the first finger come, and hears that it goes.
    if (!this.#fingers.size) this.#pinching = false;
    if (this.#hand?.id !== event.pointerId) return;
    this.#hand = null;
    this.#stage.classList.toggle("is-panning", this.#stage.dataset.space === "true");
    event.stopPropagation();
  }

  #point({ clientX, clientY }) {
    const { left, top } = this.#stage.getBoundingClientRect();
    return [clientX - left, clientY - top];
  }
}
