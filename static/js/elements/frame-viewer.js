import { framed } from "../lib/geometry.js";
import { t } from "../lib/t.js";
import { lastLevel, levelSize, tileAddress } from "../lib/tiles.js";
import { fitted, Viewport } from "../models/viewport.js";

let loading = null;

/**
 * The library adds a style element unless it finds its own, and the content policy refuses it with an error. An element
 * of that name outside HTML is found and styles nothing; the outline it would take away is ours.
 */
function keepStylesOut() {
  const marker = document.createElementNS(null, "style");
  marker.setAttribute("data-openseadragon-mobile-css", "");
  document.head.append(marker);
}

/** The deep-zoom library, fetched once and only where there is a frame. */
function library(address) {
  if (!loading) keepStylesOut();
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => resolve(globalThis.OpenSeadragon);
    script.onerror = () => reject(new Error(`${address} did not load`));
    document.head.append(script);
  });
  return loading;
}

/** From this magnification on each pixel of the image is seen as a square. */
const SQUARES = 3;
const LARGEST = 32;

/** The least magnification, as a share of the one at which the image fills the frame: less than where it makes room. */
const LEAST = 0.6;

const MOVES = new Set(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "+", "-", "="]);

/** An image that can be moved and magnified, over our tiles or over one file. */
export class FrameViewer {
  #seadragon;
  #viewer;
  #width;
  #source;
  #level = null;
  #smooth = true;
  #over;

  /** `over`: returns the box of the frame, in its own pixels, that the whole image makes room for; null for none. */
  static async open(element, { script, tiles, image, width, height, tileSize, tileOverlap, label, over = () => null }) {
    const seadragon = await library(script);
    const source = tiles
      ? {
          width,
          height,
          tileSize,
          tileOverlap,
          minLevel: 0,
          maxLevel: lastLevel(width, height),
          getTileUrl: (level, column, row) => tileAddress(tiles, level, column, row),
        }
      : { type: "image", url: image };
    return new FrameViewer(seadragon, element, source, width, label, over);
  }

  constructor(seadragon, element, source, width, label, over) {
    this.#seadragon = seadragon;
    this.#width = width;
    this.#over = over;
    this.#source = source;
    this.#viewer = seadragon({
      element,
      tileSources: source,
      showNavigationControl: false,
      // One image needs no graphics card, and a canvas looks the same everywhere.
      drawer: "canvas",
      maxZoomPixelRatio: LARGEST,
      minZoomImageRatio: LEAST,
      visibilityRatio: 0.5,
      animationTime: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 0.35,
      gestureSettingsMouse: { clickToZoom: false, dblClickToZoom: true },
      gestureSettingsTouch: { clickToZoom: false, pinchRotate: false },
    });
    // It takes the keyboard: who comes to it hears what it shows and which keys move it.
    this.#viewer.canvas.setAttribute("role", "application");
    this.#viewer.canvas.setAttribute("aria-label", t("%(label)s. Arrow keys move, plus and minus zoom, 0 shows all.", { label: label || t("Image") }));
    this.onMove(() => this.#sharpen());
    this.onOpen(() => {
      this.fit(true);
      // Another level of the image is shown where the person looks.
      this.#viewer.preserveViewport = true;
    });
    // The library also turns and mirrors the image by key; ours have other meanings.
    this.#viewer.addHandler("canvas-key", (event) => {
      const { key } = event.originalEvent;
      event.preventDefaultAction = !MOVES.has(key);
      if (key === "0") this.fit();
    });
  }

  /** Call back once the image is there, and whenever it moves. */
  onMove(callback) {
    for (const name of ["open", "update-viewport", "animation-finish", "resize", "rotate"]) this.#viewer.addHandler(name, callback);
  }

  /** Call back once, when the image can be moved. */
  onOpen(callback) {
    this.#viewer.addOnceHandler("open", callback);
  }

  /** Call back with whether all that is seen is there as sharp as it gets, whenever that changes. */
  onDrawn(callback) {
    this.#viewer.addHandler("open", () => {
      const item = this.#viewer.world.getItemAt(0);
      callback(item.getFullyLoaded());
      item.addHandler("fully-loaded-change", ({ fullyLoaded }) => callback(fullyLoaded));
    });
  }

  onFailure(callback) {
    this.#viewer.addHandler("open-failed", callback);
  }

  /** Where the image lies now, or null before it is open. */
  get viewport() {
    const item = this.#viewer.world.getItemAt(0);
    if (!item) return null;
    // Where it is at this moment of a movement, not where it will come to rest.
    const corner = (x, y) =>
      this.#viewer.viewport.pixelFromPoint(item.imageToViewportCoordinates(new this.#seadragon.Point(x, y), true), true);
    const size = item.getContentSize();
    return Viewport.between(corner(0, 0), corner(size.x, size.y), this.#width, this.#quarters);
  }

  get #quarters() {
    return (((this.#viewer.viewport.getRotation() / 90) % 4) + 4) % 4;
  }

  /** Lay an element over the image. What it does not keep for itself moves the image. */
  cover(element) {
    this.#viewer.canvas.append(element);
  }

  /** The part of the image that is seen now; it may reach beyond the image. */
  get seen() {
    const { x, y } = this.#viewer.viewport.getContainerSize();
    return this.viewport?.toPicture([0, 0, x, y]) ?? null;
  }

  /** Turn the image clockwise by a quarter, around the middle of what is seen; one that was fitted is fitted again. */
  turn() {
    const { viewport } = this.#viewer;
    const isFitted = Math.abs(viewport.getZoom() / this.#fitted.zoom - 1) < 0.01;
    viewport.setRotation(viewport.getRotation() + 90, true);
    if (isFitted) this.fit(true);
  }

  /** Show the image as it is at one level, every pixel of it as a square; null shows it with all it has. */
  showLevel(level) {
    this.#level = level;
    const source = level === null ? this.#source : { ...this.#source, ...levelSize(this.#source.width, this.#source.height, level), maxLevel: level };
    this.#viewer.addTiledImage({ tileSource: source, index: 0, replace: true });
    this.#sharpen();
  }

  /** Pixels are smoothed where they are smaller than can be told apart, and squares where they are judged one by one. */
  #sharpen() {
    const smooth = this.#level === null && !(this.viewport?.scale >= SQUARES);
    if (smooth === this.#smooth) return;
    this.#smooth = smooth;
    this.#viewer.imageSmoothingEnabled = smooth;
    this.#viewer.drawer.setImageSmoothingEnabled?.(smooth);
  }

  /** End a movement that is under way where the image is at this moment. */
  still() {
    const { viewport } = this.#viewer;
    if (!this.viewport) return;
    const [zoom, centre] = [viewport.getZoom(true), viewport.getCenter(true)];
    viewport.zoomTo(zoom, null, true);
    viewport.panTo(centre, true);
  }

  /** Move the image by pixels of the screen, at once. */
  shift(dx, dy) {
    const { viewport } = this.#viewer;
    viewport.panBy(viewport.deltaPointsFromPixels(new this.#seadragon.Point(-dx, -dy)), true);
    viewport.applyConstraints(true);
  }

  /** Magnify about a point of the screen, at once. */
  magnifyAbout(factor, [x, y]) {
    const { viewport } = this.#viewer;
    viewport.zoomBy(factor, viewport.pointFromPixel(new this.#seadragon.Point(x, y)), true);
    viewport.applyConstraints(true);
  }

  /** Where the view is, for `goBack`. */
  get mark() {
    const { viewport } = this.#viewer;
    return { bounds: viewport.getBoundsNoRotate(), rotation: viewport.getRotation() };
  }

  goBack({ bounds, rotation }) {
    this.#viewer.viewport.setRotation(rotation, true);
    this.#viewer.viewport.fitBounds(bounds, true);
  }

  /** Show the whole image. */
  fit(atOnce = false) {
    const { viewport } = this.#viewer;
    const { zoom, center } = this.#fitted;
    viewport.zoomTo(zoom, null, atOnce);
    viewport.panTo(center, atOnce);
  }

  /** Where the library shows the whole image, which makes room for what is over it. */
  get #fitted() {
    const { viewport, world } = this.#viewer;
    const item = world.getItemAt(0);
    const { x: width, y: height } = item.getContentSize();
    const screen = viewport.getContainerSize();
    const turned = this.#quarters % 2 === 1;
    const { scale, middle } = fitted(turned ? { width: height, height: width } : { width, height }, { width: screen.x, height: screen.y }, this.#over());
    const [dx, dy] = new Viewport({ x: 0, y: 0, scale, turns: this.#quarters }).along((screen.x / 2 - middle[0]) / scale, (screen.y / 2 - middle[1]) / scale);
    const center = item.imageToViewportCoordinates(new this.#seadragon.Point(width / 2 + dx, height / 2 + dy), true);
    return { zoom: item.imageToViewportZoom(scale), center };
  }

  magnify(factor) {
    this.#viewer.viewport.zoomBy(factor);
    this.#viewer.viewport.applyConstraints();
  }

  /** Move over the image by shares of what is seen. */
  pan(across, down) {
    const { viewport } = this.#viewer;
    const { x, y } = viewport.getContainerSize();
    viewport.panBy(viewport.deltaPointsFromPixels(new this.#seadragon.Point(across * x, down * y)));
    viewport.applyConstraints();
  }

  /** Bring a box of the image into view, with no more beside the image than has to be. */
  flyTo(box) {
    const { x, y } = this.#viewer.viewport.getContainerSize();
    const item = this.#viewer.world.getItemAt(0);
    const { x: width, y: height } = item.getContentSize();
    const size = { width: this.#width, height: (height * this.#width) / width };
    this.#viewer.viewport.fitBoundsWithConstraints(this.#bounds(framed(box, size, this.#quarters % 2 ? y / x : x / y)));
  }

  /** Show a box of the image, as it is and at once. */
  lookAt(box) {
    this.#viewer.viewport.fitBounds(this.#bounds(box), true);
  }

  #bounds([x1, y1, x2, y2]) {
    const item = this.#viewer.world.getItemAt(0);
    const scale = item.getContentSize().x / this.#width;
    return item.imageToViewportRectangle(x1 * scale, y1 * scale, (x2 - x1) * scale, (y2 - y1) * scale);
  }

  close() {
    this.#viewer.destroy();
  }
}
