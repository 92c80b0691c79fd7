import { rangesOf } from "../models/brush.js";

const LEAST = 6;

/**
 * <sightline-brush>svg with a rect [data-brush] · form with the four ends of the ranges</sightline-brush>: a drag over
 * the chart fills in the form, which opens the list. The fields do the same by hand.
 */
export class SightlineBrush extends HTMLElement {
  #from = null;
  #dragged = false;
  #ending = null;

  connectedCallback() {
    const chart = this.querySelector("svg");
    if (!chart) return;
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    chart.addEventListener("pointerdown", (event) => this.#begin(event, chart), { signal });
    chart.addEventListener("pointermove", (event) => this.#move(event, chart), { signal });
    for (const name of ["pointerup", "pointercancel"]) chart.addEventListener(name, () => this.#end(), { signal });
    // A drag that began on a mark is no click on it.
    chart.addEventListener("click", (event) => this.#dragged && event.preventDefault(), { capture: true, signal });
    chart.addEventListener("dragstart", (event) => event.preventDefault(), { signal });
    this.classList.add("is-live");
  }

  disconnectedCallback() {
    this.#ending?.abort();
  }

  #begin(event, chart) {
    if (event.button !== 0 || event.pointerType === "touch") return;
    this.#from = this.#place(event, chart);
    this.#dragged = false;
  }

  #move(event, chart) {
    if (!this.#from) return;
    const [x, y] = this.#place(event, chart);
    const box = [...this.#from, x, y];
    if (!this.#dragged && Math.hypot(x - box[0], y - box[1]) < LEAST) return;
    this.#dragged = true;
    chart.setPointerCapture(event.pointerId);
    this.#draw(box);
    for (const [name, value] of Object.entries(rangesOf(box))) this.querySelector(`[name=${name}]`).value = value;
  }

  #end() {
    this.#from = null;
    if (this.#dragged) this.querySelector("form button").focus({ preventScroll: true });
  }

  #draw([x1, y1, x2, y2]) {
    const rect = this.querySelector("[data-brush]");
    rect.removeAttribute("hidden");
    const sides = { x: Math.min(x1, x2), y: Math.min(y1, y2), width: Math.abs(x2 - x1), height: Math.abs(y2 - y1) };
    for (const [name, value] of Object.entries(sides)) rect.setAttribute(name, value);
  }

  #place(event, chart) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(chart.getScreenCTM().inverse());
    return [x, y];
  }
}
