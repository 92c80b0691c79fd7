import { height, width } from "../lib/geometry.js";
import { lastLevel } from "../lib/tiles.js";
import { same } from "../models/draft.js";
import { seenAround } from "../models/box.js";
import { TilePictures } from "./canvas-tiles.js";
import { entryDrawn } from "./shapes.js";

/** The same part of the image twice, with the boxes of each side; those that the other side has instead are dashed. */
export class ConflictPictures {
  #root;
  #image;
  #tiles;

  constructor(root, image) {
    this.#root = root;
    this.#image = image;
    this.#tiles = new TilePictures(image);
  }

  show(mine, theirs) {
    const boxes = [...mine, ...theirs].map(({ box }) => box);
    this.#root.hidden = !boxes.length || same(mine, theirs);
    if (this.#root.hidden) return;
    const canvas = this.#root.querySelector("canvas");
    const seen = seenAround(boxes, canvas.width / canvas.height, this.#image);
    this.#drawMarks("mine", mine, theirs, seen);
    this.#drawMarks("theirs", theirs, mine, seen);
    this.#drawTiles(seen);
  }

  #drawMarks(side, own, others, seen) {
    const figure = this.#root.querySelector(`[data-picture=${side}]`);
    const marks = figure.querySelector("svg.marks");
    marks.setAttribute("viewBox", `${seen[0]} ${seen[1]} ${width(seen)} ${height(seen)}`);
    const alone = others.filter((one) => !own.some((other) => same(other.points ?? other.box, one.points ?? one.box)));
    marks.replaceChildren(...alone.flatMap((one) => drawn(one, "old")), ...own.flatMap((one) => drawn(one, "gold")));
  }

  #drawTiles(seen) {
    const last = lastLevel(this.#image.width, this.#image.height);
    for (const canvas of this.#root.querySelectorAll("canvas")) {
      const level = Math.min(last, Math.max(0, last + Math.ceil(Math.log2(canvas.width / width(seen)))));
      const scale = 2 ** (level - last);
      this.#tiles.draw(canvas, level, seen.map((value) => value * scale), () => this.#drawTiles(seen));
    }
  }
}

/** The shape in two lines. A box has some air, so that one of a few pixels is still seen. */
const drawn = (entry, kind) => ["case", kind].map((name) => entryDrawn(entry, { class: name }));
