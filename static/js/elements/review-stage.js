import { magnification } from "../lib/format.js";
import { intersection, withMargin } from "../lib/geometry.js";
import { around } from "../models/review-places.js";
import { FrameMarks } from "./frame-marks.js";
import { FrameViewer } from "./frame-viewer.js";
import { placeRect } from "./shapes.js";

/** An image to look at, before a blind answer and in an audit: gold once it is known, and where in the whole one is. */
export class ReviewStage {
  #root;
  #image;
  #viewer = null;
  #marks = null;
  #gold = [];
  #first = null;

  /** Called with the part of the image in view, or null, whenever it moves. */
  onLook = null;

  /** @param {HTMLElement} root holds .frame__view  @param {object} image {width, height, tiles, overlap, …} */
  constructor(root, image) {
    this.#root = root;
    this.#image = image;
  }

  async open(signal) {
    const { width, height, tiles, tile_size: tileSize = 512, overlap = 1 } = this.#image;
    const { viewer: script, label } = this.#root.dataset;
    const place = { script, tiles, width, height, tileSize, tileOverlap: overlap, label };
    this.#viewer = await FrameViewer.open(this.#root.querySelector(".frame__view"), place);
    signal.addEventListener("abort", () => this.#viewer.close());
    this.#viewer.onMove(() => this.#place());
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

  /** Draw gold boxes. `gold`: as in the content, {box, label}. */
  draw(gold) {
    this.#gold = gold.map(({ box }) => box);
    this.#marks = new FrameMarks(gold.map(({ box, points }, at) => ({ kind: "gold", box, points, turn: null, tag: `G${at + 1}` })));
    this.#root.querySelector(".frame__view").after(this.#marks.element);
    this.#place();
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
    this.#root.querySelector("[data-magnification]").value = magnification(viewport.scale);
    const { width, height } = this.#image;
    const seen = intersection(this.#viewer.seen, [0, 0, width, height]);
    this.onLook?.(seen);
    const part = this.#root.querySelector("[data-part]");
    if (part) placeRect(part, seen ?? [0, 0, 0, 0]);
  }
}
