import { intersection } from "../lib/geometry.js";

/**
 * Fills a field with the part of the image that the frame of the page shows.
 *
 *   <sightline-note-region data-width="3840" data-height="2160">
 *     <input name="region"> <button type="button">…</button>
 *   </sightline-note-region>
 */
export class SightlineNoteRegion extends HTMLElement {
  connectedCallback() {
    this.querySelector("button").addEventListener("click", () => this.#take());
  }

  #take() {
    const seen = document.querySelector("sightline-frame")?.seen;
    const box = seen && intersection(seen, [0, 0, Number(this.dataset.width), Number(this.dataset.height)]);
    const field = this.querySelector("input");
    if (box) field.value = box.map(Math.round).join(",");
    field.focus();
  }
}
