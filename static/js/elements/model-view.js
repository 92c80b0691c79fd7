import { unionArea } from "../models/box.js";
import { height, width } from "../lib/geometry.js";
import { t } from "../lib/t.js";
import { lastLevel, levelSize, levelWithin } from "../lib/tiles.js";
import { evidenceDrawn } from "./shapes.js";

/** Evidence with this many pixels each way in the model's image can be read there, as the checks of the server say. */
const READABLE = 28;
const AROUND = 130;
const BUDGET = 1024;
const LEAST = 256;

/**
 * What a model sees of the evidence when it gets the full image within so many pixels: the place of the first box, and
 * whether the smallest one can be read there. The image is shown at the levels that its tiles have.
 */
export class ModelView {
  #root;
  #image;
  #pictures;
  #range;
  #content = null;
  #levels;

  constructor(root, image, pictures, changed) {
    this.#root = root;
    this.#image = image;
    this.#pictures = pictures;
    const last = lastLevel(image.width, image.height);
    const first = Math.min(last, levelWithin(image.width, image.height, LEAST) + 1);
    this.#levels = { first, last };
    this.#range = root.querySelector("input");
    Object.assign(this.#range, { min: first, max: last, value: Math.max(first, levelWithin(image.width, image.height, BUDGET)) });
    this.#range.addEventListener("input", () => {
      this.#draw();
      changed();
    });
  }

  get level() {
    return Number(this.#range.value);
  }

  /** Longer side of the image as the model gets it, in pixels. */
  get longest() {
    return Math.max(...Object.values(levelSize(this.#image.width, this.#image.height, this.level)));
  }

  show(content, selected) {
    this.#content = content;
    this.selected = selected;
    this.#draw();
  }

  #draw() {
    const boxes = this.#content?.gold_boxes ?? [];
    this.#root.querySelector("output").value = `${this.longest} px`;
    this.#range.setAttribute("aria-valuetext", t("%(count)s pixels", { count: this.longest }));
    this.#root.classList.toggle("is-empty", !boxes.length);
    if (!boxes.length) {
      this.#say(t("No evidence yet."), t("Draw a box to see its size in the model's input."));
      return;
    }
    const scale = 2 ** (this.level - this.#levels.last);
    const entry = boxes[this.selected ?? 0] ?? boxes[0];
    const points = entry.points?.map((point) => point.map((value) => value * scale));
    this.#drawPlace({ ...entry, points, box: entry.box.map((value) => value * scale) });
    const areas = boxes.some(({ kind }) => kind !== "point") ? boxes.filter(({ kind }) => kind !== "point") : boxes;
    const least = areas.map(({ box: one }) => [width(one) * scale, height(one) * scale]).sort((a, b) => Math.min(...a) - Math.min(...b))[0];
    const size = least.map((side) => (side < 10 ? side.toFixed(1) : Math.round(side))).join(" × ");
    const area = unionArea(boxes.map(({ box: one }) => one));
    if (Math.min(...least) < READABLE) this.#say(t("Hard to read."), t("The evidence is only %(size)s px here. A model must zoom in.", { size }));
    else this.#say(t("Readable without zooming."), t("The evidence is %(size)s px here, %(area)s px² in total.", { size, area: Math.round(area * scale * scale) }));
  }

  #drawPlace(entry) {
    const { box } = entry;
    const canvas = this.#root.querySelector("canvas");
    const across = Math.max(AROUND, 1.3 * width(box), (1.3 * height(box) * canvas.width) / canvas.height);
    const down = (across * canvas.height) / canvas.width;
    const left = (box[0] + box[2] - across) / 2;
    const top = (box[1] + box[3] - down) / 2;
    this.#pictures.draw(canvas, this.level, [left, top, left + across, top + down], () => this.#draw());
    const svg = this.#root.querySelector("svg.marks");
    svg.setAttribute("viewBox", `${left} ${top} ${across} ${down}`);
    evidenceDrawn(svg, entry);
  }

  #say(strong, text) {
    this.#root.querySelector("[data-strong]").textContent = strong;
    this.#root.querySelector("[data-text]").textContent = text;
  }
}
