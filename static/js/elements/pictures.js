import { t } from "../lib/t.js";

const SHOWN = ".shot > img, .trajectory-row__loupe > img, .notes__picture > img, .judge__film img";
const SVG = "http://www.w3.org/2000/svg";
const DRAWN = "svg.graph image, .judge__big svg > image";
const MIDDLE = { x: "50%", y: "50%", "text-anchor": "middle", "dominant-baseline": "central" };

/** An image that does not come says so in its place, whether it failed before this script ran or fails later. */
export function watchPictures(root) {
  root.addEventListener("error", ({ target }) => target.matches?.(`${SHOWN}, ${DRAWN}`) && tell(target), true);
  for (const picture of root.querySelectorAll(SHOWN)) {
    if (picture.complete && picture.currentSrc && !picture.naturalWidth) tell(picture);
  }
  // An image in a drawing does not know whether it is there: asked for once more, it says so.
  for (const picture of root.querySelectorAll(DRAWN)) picture.setAttribute("href", picture.getAttribute("href"));
}

/** A drawing as large as its image has no letters of a size to read: its words stand over it. */
function tell(picture) {
  const figure = picture.closest(".judge__big figure");
  const place = figure ?? picture.parentElement;
  if (place.classList.contains("is-missing")) return;
  place.classList.add("is-missing");
  const drawn = !figure && place.namespaceURI === SVG;
  const words = drawn ? document.createElementNS(SVG, "text") : document.createElement("span");
  words.setAttribute("class", "missing");
  if (drawn) for (const [name, value] of Object.entries(MIDDLE)) words.setAttribute(name, value);
  words.textContent = t("did not load");
  if (figure) figure.append(words);
  else picture.after(words);
}
