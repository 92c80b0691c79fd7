/** Address of a tile. `pattern` names {level}, {column} and {row}; level 0 is one pixel, the last one the whole. */
export const tileAddress = (pattern, level, column, row) =>
  pattern.replace("{level}", level).replace("{column}", column).replace("{row}", row);

/** The level at which the image is whole. */
export const lastLevel = (width, height) => Math.ceil(Math.log2(Math.max(width, height)));

/** Width and height of the image at a level. */
export const levelSize = (width, height, level) => {
  const shrunk = 2 ** (lastLevel(width, height) - level);
  return { width: Math.ceil(width / shrunk), height: Math.ceil(height / shrunk) };
};

/** The largest level whose longer side is at most `longest` pixels. */
export function levelWithin(width, height, longest) {
  let level = lastLevel(width, height);
  while (level > 0 && Math.max(...Object.values(levelSize(width, height, level))) > longest) level -= 1;
  return level;
}

/** The tiles that a box of a level touches, with where each lies: {column, row, x, y}. Overlaps are not counted. */
export function tilesIn([x1, y1, x2, y2], size, tileSize) {
  const first = (value) => Math.max(0, Math.floor(value / tileSize));
  const last = (value, most) => Math.min(Math.ceil(most / tileSize) - 1, Math.floor((value - 1e-9) / tileSize));
  const found = [];
  for (let row = first(y1); row <= last(y2, size.height); row += 1) {
    for (let column = first(x1); column <= last(x2, size.width); column += 1) {
      found.push({ column, row, x: column * tileSize, y: row * tileSize });
    }
  }
  return found;
}

/**
 * The addresses of what is drawn first of an image that is fitted into `room`: the thumbnail, and the tiles of the levels
 * up to the one that is sharp enough there. `image` is as the server describes it.
 */
export function firstTiles(image, room) {
  const fitted = Math.min(room.width / image.width, room.height / image.height) * image.width;
  const last = lastLevel(image.width, image.height);
  const found = [image.thumbnail];
  for (let level = Math.min(8, last); level <= last; level += 1) {
    const size = levelSize(image.width, image.height, level);
    for (const { column, row } of tilesIn([0, 0, size.width, size.height], size, image.tile_size)) found.push(tileAddress(image.tiles, level, column, row));
    if (size.width >= fitted) break;
  }
  return found;
}
