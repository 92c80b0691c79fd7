import { levelSize, tileAddress, tilesIn } from "../lib/tiles.js";
import { height, width } from "../lib/geometry.js";

const MOST = 48;

/** Pieces of the image drawn from its tiles onto small canvases: the loupe and the model's eye. */
export class TilePictures {
  #image;
  #held = new Map();

  constructor(image) {
    this.#image = image;
  }

  /**
   * Draw a part of a level over the whole canvas, each pixel as a square. `box` is in pixels of that level. `again` is
   * called when a tile that was missing has come.
   */
  draw(canvas, level, box, again) {
    const size = levelSize(this.#image.width, this.#image.height, level);
    const context = canvas.getContext("2d");
    const scale = canvas.width / width(box);
    context.imageSmoothingEnabled = false;
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.save();
    context.setTransform(scale, 0, 0, canvas.height / height(box), -box[0] * scale, (-box[1] * canvas.height) / height(box));
    for (const { column, row, x, y } of tilesIn(box, size, this.#image.tile_size)) {
      const tile = this.#tile(tileAddress(this.#image.tiles, level, column, row), again);
      // A tile begins one overlap before its place, except at the edge of the image.
      const before = (place) => (place ? this.#image.overlap : 0);
      if (tile.complete && tile.naturalWidth) context.drawImage(tile, x - before(column), y - before(row));
    }
    context.restore();
  }

  #tile(address, again) {
    const known = this.#held.get(address);
    if (known) return known;
    const tile = new Image();
    tile.src = address;
    tile.addEventListener("load", again, { once: true });
    this.#held.set(address, tile);
    if (this.#held.size > MOST) this.#held.delete(this.#held.keys().next().value);
    return tile;
  }
}
