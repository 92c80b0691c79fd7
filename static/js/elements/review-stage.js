import { magnification } from "../lib/format.js";
import { intersection, withMargin } from "../lib/geometry.js";
import { around } from "../models/review-places.js";
import { BoxLayer } from "./box-layer.js";
import { FrameMarks } from "./frame-marks.js";
import { FrameViewer } from "./frame-viewer.js";
import { placeRect } from "./shapes.js";
import { StagePlaces } from "./stage-places.js";

/** The picture of a review with what lies over it: boxes, comments pinned to a place, and where in the whole one is. */
export class ReviewStage {
  #root;
  #image;
  #viewer = null;
  #marks = null;
  #places;
  #gold = [];
  #first = null;
  #layer = null;

  /** @param {HTMLElement} root holds .frame__view  @param {object} image {width, height, tiles, overlap, …} */
  constructor(root, image) {
    this.#root = root;
    this.#image = image;
    this.#places = new StagePlaces(root, image);
  }

  async open(signal) {
    const { width, height, tiles, tile_size: tileSize = 512, overlap = 1 } = this.#image;
    const place = { script: this.#root.dataset.viewer, tiles, width, height, tileSize, tileOverlap: overlap };
    this.#viewer = await FrameViewer.open(this.#root.querySelector(".frame__view"), place);
    signal.addEventListener("abort", () => this.#viewer.close());
    this.#viewer.onMove(() => this.#place());
    this.#places.open(this.#viewer, signal);
    for (const [name, act] of [
      ["fit", () => this.fit()],
      ["less", () => this.#viewer.magnify(1 / 1.5)],
      ["more", () => this.#viewer.magnify(1.5)],
    ]) {
      this.#root.querySelector(`[data-zoom=${name}]`)?.addEventListener("click", act, { signal });
    }
    const bounds = new ResizeObserver(() => this.#place());
    bounds.observe(this.#root);
    signal.addEventListener("abort", () => bounds.disconnect());
  }

  /** Draw gold boxes and, dashed, the earlier ones. `gold`: as in the content, {box, label}. */
  draw(gold, old, oldTag) {
    this.#gold = gold.map(({ box }) => box);
    const fixed = this.#layer ? [] : this.#gold;
    this.#layer?.show(gold, null);
    this.#marks?.element.remove();
    this.#marks = new FrameMarks([
      ...old.map((box) => ({ kind: "old", box, turn: null, tag: oldTag })),
      ...fixed.map((box, at) => ({ kind: "gold", box, turn: null, tag: `G${at + 1}` })),
    ]);
    this.#root.querySelector(".frame__view").after(this.#marks.element);
    this.#place();
  }

  /** From now on boxes can be moved and sized: changed(at, box), and drawn after `drawBox`: drawn(box). */
  edit({ changed, drawn }) {
    const done = (box) => {
      this.#layer.draws = false;
      this.#root.classList.remove("is-drawing");
      drawn(box);
    };
    this.#layer = new BoxLayer(this.#image, { changed, drawn: done, selected: () => {}, drawing: () => {} });
    this.#layer.draws = false;
    this.#viewer.cover(this.#layer.element);
  }

  /** The next drag on empty ground draws a box. */
  drawBox() {
    if (!this.#layer) return;
    this.#layer.draws = true;
    this.#root.classList.add("is-drawing");
  }

  get places() {
    return this.#places;
  }

  fit() {
    this.#viewer?.fit();
  }

  /** Bring the evidence, with what is around it, into view. */
  flyToEvidence() {
    const box = around(this.#gold);
    if (!box) this.fit();
    else if (this.#viewer?.viewport) this.#viewer.flyTo(withMargin(box, 2.5));
    else this.#first = () => this.flyToEvidence();
  }

  showGold(shown) {
    this.#marks?.showGold(shown);
  }

  #place() {
    const viewport = this.#viewer?.viewport;
    if (!viewport) return;
    this.#root.classList.add("is-live");
    const first = this.#first;
    this.#first = null;
    first?.();
    this.#marks?.place(viewport);
    this.#layer?.place(viewport);
    this.#places.place();
    this.#root.querySelector("[data-magnification]").value = magnification(viewport.scale);
    const part = this.#root.querySelector("[data-part]");
    if (!part) return;
    const { width, height } = this.#image;
    placeRect(part, intersection(this.#viewer.seen, [0, 0, width, height]) ?? [0, 0, 0, 0]);
  }
}
