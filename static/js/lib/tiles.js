/** Address of a tile. `pattern` names {level}, {column} and {row}; level 0 is one pixel, the last one the whole. */
export const tileAddress = (pattern, level, column, row) =>
  pattern.replace("{level}", level).replace("{column}", column).replace("{row}", row);

/** The level at which the picture is whole. */
export const lastLevel = (width, height) => Math.ceil(Math.log2(Math.max(width, height)));
