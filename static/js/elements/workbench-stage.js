import { t } from "../lib/t.js";
import { pickedBox, pickedColour, pickedPoint, pickedStroke } from "../models/picking.js";

const WORDS = { box: t("Draw a box"), point: t("Click a point"), stroke: t("Draw a line"), colour: t("Pick a color") };
const SVG = "http://www.w3.org/2000/svg";

/** The image before and after the step in focus, the slider between them, and picks that fill the step's form. */
export class WorkbenchStage {
  #root;
  #stage;
  #set;
  #from = null;
  #input = null;
  #tool = null;
  #colorspace;

  constructor(root, set) {
    [this.#root, this.#stage, this.#set] = [root, root.part("stage"), set];
    const cut = root.part("cut");
    cut.addEventListener("keydown", (event) => this.#step(event));
    cut.addEventListener("pointerdown", (event) => cut.setPointerCapture(event.pointerId));
    cut.addEventListener("pointermove", (event) => cut.hasPointerCapture(event.pointerId) && this.#cutAt(event));
    for (const button of root.querySelectorAll("[data-view][aria-pressed]")) button.addEventListener("click", () => this.#compare(button));
    this.#stage.addEventListener("pointerdown", (event) => this.#begin(event));
    this.#stage.addEventListener("pointermove", (event) => this.#from && this.#stretch(event));
    this.#stage.addEventListener("pointerup", (event) => this.#from && this.#end(event));
    this.#cut(50);
  }

  /** How many pixels an image can be seen with, for the server: in steps, so that a moved window asks for no other. */
  get side() {
    const { width, height } = this.#stage.getBoundingClientRect();
    const seen = Math.max(width, height, 320) * Math.min(window.devicePixelRatio || 1, 2);
    return Math.min(Math.ceil(seen / 320) * 320, 2560);
  }

  show(shown, focus, { tool, input, colorspace }) {
    const { view } = shown;
    [this.#tool, this.#input, this.#colorspace] = [tool, input, colorspace];
    this.#root.part("none").hidden = true;
    this.#stage.classList.toggle("is-alone", !view.before || !view.after);
    this.#picture("after", view.after, view.before ? t("after") : "");
    this.#picture("before", view.before, t("before"));
    const size = view.after ? `${view.after.width} × ${view.after.height} px` : "";
    const words = view.after && !view.exact ? t("%(size)s, previewed at %(from)s; in full soon", { size, from: view.after.from.join(" × ") }) : size;
    this.#root.part("view-title").textContent = view.number ? t("After step %(number)s", { number: view.number }) : t("Original");
    this.#root.part("view-words").textContent = [view.after?.tool, words].filter(Boolean).join(" · ");
    const button = this.#root.querySelector("[data-act=pick]");
    button.hidden = !tool?.pick;
    this.#root.part("pick-words").textContent = WORDS[tool?.pick] ?? "";
    if (!tool?.pick) this.#picking(false);
    this.#places(shown, focus);
  }

  none(words) {
    this.#root.part("none").hidden = false;
    this.#root.part("none").textContent = words;
  }

  wait(words) {
    this.#root.part("wait").hidden = !words;
    this.#root.part("wait").textContent = words;
  }

  pick() {
    this.#picking(!this.#stage.classList.contains("is-picking"));
  }

  #picking(on) {
    this.#stage.classList.toggle("is-picking", on);
    this.#root.querySelector("[data-act=pick]").setAttribute("aria-pressed", String(on));
    if (!on) this.#root.part("picked").hidden = true;
  }

  #picture(side, sent, word) {
    const figure = this.#root.part(side);
    figure.hidden = !sent;
    if (!sent) return;
    figure.querySelector("img").src = sent.address;
    figure.querySelector("img").alt = sent.tool ? t("%(what)s: step %(number)s, %(tool)s", { what: word || t("Image"), ...sent }) : t("The original image");
    figure.querySelector("figcaption").textContent = [word, `${sent.number} ${sent.tool || t("original")}`].filter(Boolean).join(" · ");
  }

  /** What the last step that found something found, drawn on the original. */
  #places(shown, focus) {
    const svg = this.#root.part("places");
    const found = focus === 0 ? (shown.steps.findLast((step) => step.places?.length)?.places ?? []) : [];
    svg.setAttribute("viewBox", `0 0 ${shown.original.width} ${shown.original.height}`);
    svg.replaceChildren(...found.map(({ points, radius }) => {
      const shape = document.createElementNS(SVG, points.length === 1 ? "circle" : "polygon");
      if (points.length > 1) shape.setAttribute("points", points.map((point) => point.join(",")).join(" "));
      else for (const [name, value] of [["cx", points[0][0]], ["cy", points[0][1]], ["r", radius ?? shown.original.width / 300]]) shape.setAttribute(name, value);
      return shape;
    }));
    if (found.length) this.#root.part("view-words").textContent += ` · ${t("%(count)s found by the toolchain", { count: found.length })}`;
  }

  #compare(pressed) {
    this.#stage.dataset.view = pressed.dataset.view;
    for (const button of this.#root.querySelectorAll("[data-view][aria-pressed]")) button.setAttribute("aria-pressed", String(button === pressed));
  }

  #cut(share) {
    const at = Math.min(Math.max(share, 0), 100);
    this.#stage.style.setProperty("--cut", `${at}%`);
    this.#root.part("cut").setAttribute("aria-valuenow", String(Math.round(at)));
  }

  #cutAt({ clientX }) {
    const { left, width } = this.#stage.getBoundingClientRect();
    this.#cut((100 * (clientX - left)) / width);
  }

  #step(event) {
    const by = { ArrowLeft: -5, ArrowRight: 5, Home: -100, End: 100 }[event.key];
    if (!by) return;
    event.preventDefault();
    this.#cut(Number(this.#root.part("cut").getAttribute("aria-valuenow")) + by);
  }

  /** The image that a pick is made on: what goes into the step. */
  get #picked() {
    return this.#root.part(this.#root.part("before").hidden ? "after" : "before").querySelector("img");
  }

  #begin(event) {
    if (!this.#stage.classList.contains("is-picking")) return;
    event.preventDefault();
    this.#from = event;
    this.#stage.setPointerCapture(event.pointerId);
  }

  #stretch(event) {
    const mark = this.#root.part("picked");
    const { left, top } = this.#stage.getBoundingClientRect();
    const [xs, ys] = [[this.#from.clientX, event.clientX].map((x) => x - left), [this.#from.clientY, event.clientY].map((y) => y - top)];
    mark.hidden = this.#tool.pick !== "box";
    mark.style.setProperty("left", `${Math.min(...xs)}px`);
    mark.style.setProperty("top", `${Math.min(...ys)}px`);
    mark.style.setProperty("width", `${Math.abs(xs[1] - xs[0])}px`);
    mark.style.setProperty("height", `${Math.abs(ys[1] - ys[0])}px`);
  }

  #end(event) {
    const ends = [this.#from, event].map((one) => this.#pixel(one));
    this.#from = null;
    const { pick } = this.#tool;
    const moved = Math.hypot(ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]) > 1;
    if (pick === "box" && moved) this.#set(pickedBox(...ends, this.#input));
    else if (pick === "stroke" && moved) this.#set(pickedStroke(...ends, this.#input));
    else if (pick === "point") this.#set(pickedPoint(ends[1], this.#input));
    else if (pick === "colour") this.#set(pickedColour(this.#colourAt(ends[1]), this.#colorspace));
    this.#picking(false);
  }

  /** A place of the screen in pixels of the step's input. The image is fitted into its element, whole. */
  #pixel({ clientX, clientY }) {
    const { left, top, width, height } = this.#picked.getBoundingClientRect();
    const scale = Math.min(width / this.#input.width, height / this.#input.height);
    return [(clientX - left - (width - this.#input.width * scale) / 2) / scale, (clientY - top - (height - this.#input.height * scale) / 2) / scale];
  }

  #colourAt([x, y]) {
    const image = this.#picked;
    const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
    const context = canvas.getContext("2d");
    context.drawImage(image, (x / this.#input.width) * image.naturalWidth, (y / this.#input.height) * image.naturalHeight, 1, 1, 0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  }
}
