import { height, width } from "../lib/geometry.js";
import { magnification } from "../lib/format.js";
import { t } from "../lib/t.js";
import { lensArea } from "../models/review-places.js";
import { evidenceDrawn } from "./shapes.js";

const SIDE = 480;
const SHOWN = 200;
const GAP = "\u00a0";

/** The evidence enlarged, in a corner of the stage. */
export class ReviewLens {
  #root;
  #image;

  /** @param {HTMLElement} root with img, svg, [data-scale], [data-size] */
  constructor(root, image) {
    this.#root = root;
    this.#image = image;
  }

  /** Show a shape; nothing when there is none, or when it is so large that the lens would make it smaller. */
  show(entry) {
    const box = entry?.box;
    const area = box && lensArea(box, this.#image);
    this.#root.hidden = !area || width(area) > SHOWN;
    if (this.#root.hidden) return;
    const address = this.#image.tiles.replace(/tiles\/.*$/, `regions/${area.join(",")}/${SIDE}.jpg`);
    const picture = this.#root.querySelector("img");
    if (picture.getAttribute("src") !== address) picture.src = address;
    const svg = this.#root.querySelector("svg");
    svg.setAttribute("viewBox", `${area[0]} ${area[1]} ${width(area)} ${height(area)}`);
    evidenceDrawn(svg, entry);
    const { width: w, height: h } = this.#image;
    this.#root.querySelector("[data-scale]").textContent = t("Evidence, at %(scale)s", { scale: magnification(SHOWN / width(area)) });
    this.#root.querySelector("[data-size]").textContent = t("%(size)s of %(whole)s", { size: `${width(box)} × ${height(box)}${GAP}px`, whole: `${w} × ${h}` });
  }
}
