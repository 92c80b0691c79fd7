import { t } from "../lib/t.js";
import { percent, rate, Thresholds } from "../models/threshold.js";

const PARAMETER = "threshold";

/**
 * The quadrant matrix at another threshold than the scored one.
 *
 *   <sightline-threshold data-at="0.5" data-source="id of the json"> matrix, output, chart, input </sightline-threshold>
 *
 * The input moves numbers, ranges, intervals and links of the four cells, and what follows from them: accuracy when
 * grounded and when ungrounded, their difference, and the rank of the run. The address keeps it (?threshold=0.3). Where
 * the server gave no intervals they are hidden away from the scored threshold; back on it, the cells are as the server
 * wrote them.
 */
export class SightlineThreshold extends HTMLElement {
  #scored = [];
  #spread = "";
  #of = null;
  #provisional = false;

  connectedCallback() {
    const source = document.getElementById(this.dataset.source);
    const input = this.querySelector("input[type=range]");
    if (!source || !input) return;
    const data = JSON.parse(source.textContent);
    const thresholds = new Thresholds(data);
    this.#of = data.of;
    this.#provisional = data.provisional;
    this.#scored = this.#cells.map((cell) => ({ href: cell.getAttribute("href"), markup: [...cell.childNodes] }));
    this.#spread = this.querySelector("[data-spread]")?.textContent;
    this.#tell(Number(input.value), thresholds);
    input.addEventListener("input", () => {
      this.#show(Number(input.value), thresholds);
      this.#keep(Number(input.value));
    });
    const asked = new URL(location.href).searchParams.get(PARAMETER);
    if (asked && Number(asked) >= 0 && Number(asked) <= 1) {
      input.value = asked;
      this.#show(Number(input.value), thresholds);
    }
  }

  get #cells() {
    return [...this.querySelectorAll(".quad__c")];
  }

  /** The address says where the line is drawn, for whoever it is sent to. */
  #keep(threshold) {
    const address = new URL(location.href);
    if (this.#isScored(threshold)) address.searchParams.delete(PARAMETER);
    else address.searchParams.set(PARAMETER, threshold.toFixed(2));
    history.replaceState(history.state, "", address);
  }

  #isScored(threshold) {
    return Math.abs(threshold - Number(this.dataset.at)) < 0.005;
  }

  #show(threshold, thresholds) {
    const scored = this.#isScored(threshold);
    this.querySelector("output").textContent = threshold.toFixed(2);
    this.querySelector("[data-line]")?.setAttribute("x", `${100 * threshold}%`);
    this.querySelector("[data-words]").textContent = scored ? t("as scored") : t("scored at %(threshold)s", { threshold: this.dataset.at });
    this.#tell(threshold, thresholds);
    this.#differ(thresholds.difference(threshold), scored);
    const states = thresholds.at(threshold);
    for (const [place, cell] of this.#cells.entries()) {
      if (scored) this.#restore(cell, this.#scored[place]);
      else this.#draw(cell, this.#scored[place], states[place]);
    }
  }

  #tell(threshold, thresholds) {
    const { grounded, ungrounded } = thresholds.accuracyWhen(threshold);
    const rank = thresholds.rank(threshold);
    const rates = { grounded: this.#rate(grounded), ungrounded: this.#rate(ungrounded), rank, of: this.#of };
    const words = rank
      ? t("Accuracy, %: when grounded %(grounded)s, when ungrounded %(ungrounded)s; rank %(rank)s of %(of)s by G+A+.", rates)
      : t("Accuracy, %: when grounded %(grounded)s, when ungrounded %(ungrounded)s.", rates);
    this.querySelector("[data-when]").textContent = words;
  }

  #rate(found) {
    return rate(found, this.#provisional);
  }

  /** In the words of the server, which has the interval of the scored threshold only. */
  #differ(words, scored) {
    if (!words) return;
    const [points, odds, open] = words;
    this.querySelector("[data-points]").textContent = points;
    this.querySelector("[data-odds]").textContent = odds;
    this.querySelector("[data-open]").textContent = open ? ` (${open})` : "";
    this.querySelector("[data-spread]").textContent = scored ? this.#spread : t(", no interval away from the scored threshold");
  }

  #restore(cell, { href, markup }) {
    cell.setAttribute("href", href);
    cell.replaceChildren(...markup);
  }

  #draw(cell, { markup }, { count, share, range, interval, href }) {
    cell.setAttribute("href", href);
    cell.replaceChildren(...markup.map((node) => node.cloneNode(true)));
    cell.querySelector(".small").textContent = count.toLocaleString("en");
    const [point, spread] = this.#rate({ share, range }).split(" ");
    cell.querySelector("b").firstChild.textContent = point;
    if (!this.#provisional) this.#range(cell, spread ?? "");
    cell.querySelector(".ci__point")?.setAttribute("x", `${100 * (share ?? 0)}%`);
    this.#whisker(cell, interval);
  }

  /** The range is written again, as a cell may have none at the scored threshold. */
  #range(cell, words) {
    cell.querySelector(".range")?.remove();
    if (!words) return;
    const range = document.createElement("span");
    range.className = "range small";
    range.textContent = words;
    cell.querySelector("b").after(range);
  }

  #whisker(cell, interval) {
    const range = cell.querySelector(".ci__range");
    const [low, high] = interval ?? [0, 0];
    if (!interval) range?.remove();
    range?.setAttribute("x", `${100 * low}%`);
    range?.setAttribute("width", `${100 * (high - low)}%`);
    const words = interval ? t("interval %(low)s to %(high)s%", { low: percent(low), high: percent(high) }) : t("no interval away from the scored threshold");
    cell.querySelector(".ci")?.setAttribute("aria-label", words);
  }
}
