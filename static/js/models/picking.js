/** What a box, a stroke, a point or a color on the image says as arguments of a tool. Places in pixels of its input. */

const whole = (value, most) => Math.min(Math.max(Math.round(value), 0), most);

/** From one corner to the other, inside an image of this size, a pixel wide at least. */
export function pickedBox([x1, y1], [x2, y2], { width, height }) {
  const left = whole(Math.min(x1, x2), width - 1);
  const top = whole(Math.min(y1, y2), height - 1);
  const right = Math.max(whole(Math.max(x1, x2), width), left + 1);
  const bottom = Math.max(whole(Math.max(y1, y2), height), top + 1);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

export const pickedPoint = ([x, y], { width, height }) => ({ x: whole(Math.floor(x), width - 1), y: whole(Math.floor(y), height - 1) });

export const pickedStroke = ([x1, y1], [x2, y2], { width, height }) => ({
  x1: whole(x1, width - 1), y1: whole(y1, height - 1), x2: whole(x2, width - 1), y2: whole(y2, height - 1),
});

/** Hue 0 to 179, saturation and value 0 to 255, as OpenCV has them. */
export function hsvOf([red, green, blue]) {
  const most = Math.max(red, green, blue);
  const span = most - Math.min(red, green, blue);
  let degrees = 0;
  if (span > 0 && most === red) degrees = (60 * (green - blue)) / span;
  else if (span > 0 && most === green) degrees = 120 + (60 * (blue - red)) / span;
  else if (span > 0) degrees = 240 + (60 * (red - green)) / span;
  const hue = Math.round(((degrees + 360) % 360) / 2) % 180;
  return [hue, most ? Math.round((255 * span) / most) : 0, most];
}

/** The range around a color: hue by `near`, round the circle; saturation and value by `wide`. */
export function pickedColour(rgb, colorspace = "hsv", near = 10, wide = 60) {
  const clip = (value) => Math.min(Math.max(value, 0), 255);
  if (colorspace === "bgr") {
    const bgr = [...rgb].reverse();
    return { lower: bgr.map((value) => clip(value - wide / 2)), upper: bgr.map((value) => clip(value + wide / 2)) };
  }
  const [hue, saturation, value] = hsvOf(rgb);
  const around = (at) => (at + 180) % 180;
  return {
    lower: [around(hue - near), clip(saturation - wide), clip(value - wide)],
    upper: [around(hue + near), clip(saturation + wide), clip(value + wide)],
  };
}
