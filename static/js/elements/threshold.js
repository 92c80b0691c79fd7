import { Thresholds } from "../models/threshold.js";

const percent = (share) => (share === null ? "n/a" : (100 * share).toFixed(1));

/**
 * The quadrant matrix at another threshold than the scored one.
 *
 *   <sightline-threshold data-at="0.5" data-source="id of the json"> matrix, output, chart, input </sightline-threshold>
 *
 * The input moves numbers, points and links of the four cells. Intervals belong to the scored threshold and are hidden
 * away from it; back on it, everything is as the server wrote it.
 */
export class SightlineThreshold extends HTMLElement {
  #scored = [];

  connectedCallback() {
    const source = document.getElementById(this.dataset.source);
    const input = this.querySelector("input[type=range]");
    if (!source || !input) return;
    const thresholds = new Thresholds(JSON.parse(source.textContent));
    this.#scored = this.#cells.map((cell) => ({ href: cell.getAttribute("href"), markup: [...cell.childNodes] }));
    input.addEventListener("input", () => this.#show(Number(input.value), thresholds));
  }

  get #cells() {
    return [...this.querySelectorAll(".quad__c")];
  }

  #show(threshold, thresholds) {
    const scored = Math.abs(threshold - Number(this.dataset.at)) < 0.005;
    this.querySelector("output").textContent = threshold.toFixed(2);
    this.querySelector("[data-line]")?.setAttribute("x", `${100 * threshold}%`);
    this.querySelector("[data-words]").textContent = scored ? "as scored" : `scored at ${this.dataset.at}`;
    const states = thresholds.at(threshold);
    for (const [place, cell] of this.#cells.entries()) {
      if (scored) this.#restore(cell, this.#scored[place]);
      else this.#draw(cell, this.#scored[place], states[place]);
    }
  }

  #restore(cell, { href, markup }) {
    cell.setAttribute("href", href);
    cell.replaceChildren(...markup);
  }

  #draw(cell, { markup }, { count, share, href }) {
    cell.setAttribute("href", href);
    cell.replaceChildren(...markup.map((node) => node.cloneNode(true)));
    cell.querySelector(".small").textContent = count.toLocaleString("en");
    cell.querySelector("b").firstChild.textContent = percent(share);
    cell.querySelector(".ci__range")?.remove();
    cell.querySelector(".ci__point")?.setAttribute("x", `${100 * (share ?? 0)}%`);
    cell.querySelector(".ci")?.setAttribute("aria-label", "no interval away from the scored threshold");
  }
}
