import { magnification } from "../lib/format.js";
import { area, atLeast, withMargin } from "../lib/geometry.js";
import { lastLevel } from "../lib/tiles.js";
import { inMiddle } from "../models/box.js";
import { BoxLayer } from "./box-layer.js";
import { ModelView } from "./model-view.js";
import { TilePictures } from "./canvas-tiles.js";
import { FrameViewer } from "./frame-viewer.js";
import { entryDrawn, placeRect, shape } from "./shapes.js";
import { StageGestures } from "./stage-gestures.js";
import { StageGlass } from "./stage-glass.js";
import { StageLight } from "./stage-light.js";
import { StagePlaces } from "./stage-places.js";

const LOUPE = 40;
/** Pixels of the image around a point that are brought into view. */
const POINT_AROUND = 24;
/** The smallest side of a box in the overview, as a share of the width of the image. */
const OVERVIEW_LEAST = 0.025;

/**
 * The stage of a studio: the image, the boxes over it, and what helps to look: the model's eye, the full image, a
 * loupe, turning, brightness and contrast. Looking changes nothing of the sample.
 */
export class Canvas {
  #stage;
  #image;
  #viewer = null;
  #layer;
  #eye;
  #glass;
  #light;
  #pictures;
  #under = [];
  #places;
  #content = { gold_boxes: [] };
  #selected = null;

  /** `acts`: drawn(box), outlined(kind, points), changed(at, box), reshaped(at, points), cornered(at, vertex), selected(at or null). */
  constructor(stage, image, acts) {
    this.#stage = stage;
    this.#image = image;
    this.#layer = new BoxLayer(image, { ...acts, drawing: (point) => this.#magnify(point) });
    this.#places = new StagePlaces(stage, image, () => this.#showTool());
    this.#pictures = new TilePictures(image);
    this.#eye = new ModelView(this.#part("eye"), image, this.#pictures, () => this.#look());
    this.#glass = new StageGlass(stage, this.#part("eye"));
    this.#part("whole").src = image.thumbnail;
    this.#part("mini").setAttribute("viewBox", `0 0 ${image.width} ${image.height}`);
    this.#light = new StageLight(stage);
  }

  /** Lay marks (FrameMarks) under the boxes; before it is opened. */
  lay(marks) {
    this.#under.push(marks);
  }

  /** Places on the image: pins, and picking one. */
  get places() {
    return this.#places;
  }

  /** Load the image; `ready` is called once it can be moved. */
  async open(signal, ready = () => {}) {
    const { tiles, width, height, tile_size: tileSize, overlap: tileOverlap } = this.#image;
    const place = { script: this.#stage.dataset.viewer, tiles, width, height, tileSize, tileOverlap, label: this.#stage.dataset.label, over: () => this.#tools() };
    this.#viewer = await FrameViewer.open(this.#part("view"), place);
    signal.addEventListener("abort", () => this.#viewer.close());
    for (const { element } of [...this.#under, this.#layer]) this.#viewer.cover(element);
    this.#places.open(this.#viewer, signal);
    new StageGestures(this.#stage, this.#part("view"), this.#viewer, () => this.cancel(), signal);
    this.#viewer.onOpen(ready);
    this.#viewer.onMove(() => this.#place());
    this.#viewer.onDrawn((drawn) => {
      this.#stage.classList.toggle("is-drawn", drawn);
      if (drawn) this.#stage.querySelector(".stage__wait")?.remove();
    });
    this.#viewer.onFailure(() => this.#part("broken").removeAttribute("hidden"));
    this.#light.show();
  }

  get draws() {
    return this.#layer.draws;
  }

  /** Dragging on empty ground draws a box, or moves the image. */
  set draws(draws) {
    this.#layer.draws = draws;
    this.#stage.classList.toggle("is-drawing", draws && !this.#layer.isReadOnly);
    this.#showTool();
  }

  /** One tool looks pressed: what a press on the image does now. While a place is picked, it is none of these. */
  #showTool() {
    const now = this.#places.isPicking ? null : this.draws ? this.tool : "hand";
    for (const name of ["box", "polygon", "point", "hand"]) this.#tool(name)?.setAttribute("aria-pressed", String(name === now));
  }

  /** What dragging or clicking draws: "box", "polygon" or "point". */
  get tool() {
    return this.#layer.tool;
  }

  set tool(tool) {
    this.#layer.tool = tool;
    this.draws = true;
  }

  /** Whether a polygon is begun that is not closed. */
  get sketching() {
    return this.#layer.sketching;
  }

  /** As of BoxLayer. */
  sketch(act) {
    this.#layer.sketch(act);
  }

  /** Nothing of the boxes can be changed, and nothing offers to. */
  get isReadOnly() {
    return this.#layer.isReadOnly;
  }

  set isReadOnly(on) {
    this.#layer.isReadOnly = on;
    this.#stage.classList.toggle("is-reading", on);
    this.#stage.classList.toggle("is-drawing", this.#layer.draws && !on);
    for (const tool of this.#stage.querySelectorAll("[data-edits]")) tool.hidden = on;
  }

  /** Whether the boxes are drawn; what is under them can be judged without. */
  get showsBoxes() {
    return !this.#stage.classList.contains("is-bare");
  }

  set showsBoxes(on) {
    this.#stage.classList.toggle("is-bare", !on);
    this.#tool("boxes").setAttribute("aria-pressed", String(!on));
  }

  /** How one looks at the image, for `goBack`. */
  get mark() {
    const eye = this.#tool("eye").getAttribute("aria-pressed");
    return { draws: this.draws, tool: this.tool, showsBoxes: this.showsBoxes, eye, view: this.#viewer?.viewport ? this.#viewer.mark : null };
  }

  goBack({ draws, tool, showsBoxes, eye, view }) {
    this.tool = tool;
    this.draws = draws;
    this.showsBoxes = showsBoxes;
    if (this.#tool("eye").getAttribute("aria-pressed") !== eye) this.toggleEye();
    if (view) this.#viewer.goBack(view);
  }

  /** A direction on the screen as one in the image, and by how many quarters it is turned. */
  along(dx, dy) {
    return this.#viewer?.viewport?.along(dx, dy) ?? [dx, dy];
  }

  get turns() {
    return this.#viewer?.viewport?.turns ?? 0;
  }

  get dragging() {
    return this.#layer.dragging;
  }

  /** `corner`: of the selected polygon, the one that keys act on. */
  show(content, selected, corner = null) {
    this.#content = content;
    this.#selected = selected;
    this.#layer.show(content.gold_boxes, selected, corner);
    this.#eye.show(content, selected);
    this.#drawOver();
  }

  /** Bring the selected box, or all evidence, into view. */
  toEvidence() {
    const boxes = this.#selected === null ? this.#content.gold_boxes : [this.#content.gold_boxes[this.#selected]];
    if (!boxes.length) return this.fit();
    const all = boxes.map(({ box }) => box).reduce((a, b) => [
      Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3]),
    ]);
    this.#viewer?.flyTo(withMargin(area(all) > 1 ? all : atLeast(all, POINT_AROUND), area(all) < 10_000 ? 3 : 1));
  }

  fit() {
    this.#viewer?.fit();
  }

  magnify(factor) {
    this.#viewer?.magnify(factor);
  }

  turn() {
    this.#viewer?.turn();
  }

  pan(across, down) {
    this.#viewer?.pan(across, down);
  }

  toggleEye() {
    const on = this.#tool("eye").getAttribute("aria-pressed") !== "true";
    this.#tool("eye").setAttribute("aria-pressed", String(on));
    this.#look();
  }

  /** A box in the middle of what is seen. */
  middle() {
    const { width, height } = this.#image;
    return inMiddle(this.#viewer?.seen ?? [0, 0, width, height], this.#image);
  }

  /** Say to those who do not see it what keys act on now. */
  say(words) {
    this.#part("said").textContent = words;
  }

  focus(at) {
    this.#layer.focus(at);
  }

  /** Leave what is being dragged as it was. */
  cancel() {
    this.#layer.cancel();
  }

  /** The box of the tools on the stage, which the whole image makes room for; null where they are not shown. */
  #tools() {
    const tools = this.#stage.querySelector(".stage-tools");
    if (!tools?.checkVisibility()) return null;
    const { left, top } = this.#stage.getBoundingClientRect();
    const bounds = tools.getBoundingClientRect();
    return [bounds.left - left, bounds.top - top, bounds.right - left, bounds.bottom - top];
  }

  #part(name) {
    return this.#stage.querySelector(`[data-part="${name}"]`);
  }

  #tool(name) {
    return this.#stage.querySelector(`[data-tool="${name}"]`);
  }

  #look() {
    const on = this.#tool("eye").getAttribute("aria-pressed") === "true";
    this.#stage.classList.toggle("is-models-eye", on);
    this.#viewer?.showLevel(on ? this.#eye.level : null);
  }

  #place() {
    const { viewport } = this.#viewer;
    if (!viewport) return;
    this.#layer.place(viewport);
    for (const marks of this.#under) marks.place(viewport);
    this.#places.place();
    this.#part("zoom").value = magnification(viewport.scale);
    this.#drawOver();
  }

  #drawOver() {
    const viewport = this.#viewer?.viewport;
    if (viewport) this.#glass.clear(viewport, this.#content.gold_boxes.map(({ box }) => box));
    const svg = this.#part("mini");
    const least = this.#image.width * OVERVIEW_LEAST;
    const small = this.#content.gold_boxes.map((entry) => entryDrawn(entry, { class: "gold" }, null, least));
    const seen = shape("rect", { class: "vp" });
    if (this.#viewer?.seen) placeRect(seen, this.#viewer.seen);
    svg.replaceChildren(...small, seen);
  }

  /** The pixels around the pointer, large, while a box is drawn or about to be. */
  #magnify(point) {
    const loupe = this.#part("loupe");
    const inside = point && point[0] >= 0 && point[1] >= 0 && point[0] < this.#image.width && point[1] < this.#image.height;
    loupe.hidden = !inside;
    if (!inside) return;
    const [x, y] = point.map(Math.floor);
    this.#part("at").value = `x ${x}  y ${y}`;
    const half = LOUPE / 2;
    const last = lastLevel(this.#image.width, this.#image.height);
    this.#pictures.draw(loupe.querySelector("canvas"), last, [x - half, y - half, x + half, y + half], () => this.#magnify(point));
    const [left, top] = this.#viewer.viewport.toScreen([x, y, x, y]);
    const near = left + 180 > this.#stage.clientWidth ? -148 : 24;
    loupe.style.transform = `translate(${left + near}px, ${Math.max(8, top - 148)}px)`;
  }
}
