import { width } from "../lib/geometry.js";
import { lastLevel } from "../lib/tiles.js";
import { lensArea } from "../models/review-places.js";
import { TilePictures } from "./canvas-tiles.js";

/** The tools of a plan as the image has them: what lies in the evidence box that has a name of the tool as its label. */
export class ToolPictures {
  #image;
  #bank;
  #tiles;

  /** @param {object|null} image null where there is no image  @param {ToolBank} bank */
  constructor(image, bank) {
    this.#image = image;
    this.#bank = bank;
    this.#tiles = image && new TilePictures(image);
  }

  /** Draw a tool, or hide the canvas where no box says where it is. `again` is called when more of the image is there. */
  show(canvas, tool, boxes, again) {
    const found = this.#image && boxes.find(({ label }) => label && this.#bank.isSame(label, tool));
    canvas.hidden = !found;
    if (!found) return;
    const area = lensArea(found.box, this.#image);
    const last = lastLevel(this.#image.width, this.#image.height);
    const level = Math.max(0, last - Math.max(0, Math.floor(Math.log2(width(area) / canvas.width))));
    this.#tiles.draw(canvas, level, area.map((value) => value * 2 ** (level - last)), again);
  }
}
