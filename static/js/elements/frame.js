import { boxOf, hashOf, turnOf } from "../lib/address.js";
import { magnification } from "../lib/format.js";
import { isBox, withMargin } from "../lib/geometry.js";
import { singleKey } from "../lib/keys.js";
import { t } from "../lib/t.js";
import { marksOf } from "../models/marks.js";
import { TurnSelection } from "../models/turns.js";
import { linkChosen } from "./frame-chosen.js";
import { pickAmongMany } from "./frame-dense.js";
import { lightTogether, showOnPage } from "./frame-light.js";
import { FrameMarks } from "./frame-marks.js";
import { frameTools } from "./frame-tools.js";
import { tipOverTurns } from "./frame-tip.js";
import { FrameViewer } from "./frame-viewer.js";
import { turnsBeyond } from "./frame-window.js";

/**
 * The evidence frame: the original image with gold and each turn's crop. The turn in focus is the same in the frame,
 * in the timeline and in the transcript: every element of the page with data-turn gets "is-on" and can be clicked.
 *
 *   <sightline-frame data-marks="frame-marks" data-viewer="{% static 'vendor/openseadragon.js' %}"
 *                    data-tiles="/…/tiles/{level}/{column}_{row}.jpg" data-width="3840" data-height="2160"
 *                    data-tile-size="512" data-tile-overlap="1">
 *     {% annotated_thumbnail … %}   the same without script
 *   </sightline-frame>
 *   {{ marks|json_script:"frame-marks" }}   {"gold": [{"box": […]}], "turns": [{"turn": 1, "executed": […], …}]}
 *
 * Without data-tiles the file at data-image is shown. Says "turnchange" with detail.turn, "framemove" with detail.seen.
 */
export class SightlineFrame extends HTMLElement {
  #data = { gold: [], turns: [] };
  #selection;
  #marks;
  #viewer = null;
  #box = boxOf(location.hash);
  #ending = null;

  async connectedCallback() {
    const block = document.getElementById(this.dataset.marks);
    if (block) this.#data = JSON.parse(block.textContent);
    const turns = this.#data.turns ?? [];
    this.#selection = new TurnSelection(turns.map(({ turn }) => turn), turnOf(location.hash));
    this.#marks = new FrameMarks(marksOf(this.#data), this.#data.dense);
    this.#listen();
    this.#show();
    await this.#open();
  }

  /** For the list of keys: those that do something on this image. */
  get keys() {
    const turns = this.#data.turns ?? [];
    const gold = this.#data.gold ?? [];
    const boxed = turns.some(({ executed }) => isBox(executed));
    return [
      turns.length && ["[ ]", t("previous turn, next turn")],
      gold.length && ["G", t("show or hide gold")],
      this.#viewer?.viewport && ["F", t("fit the image")],
      this.#viewer?.viewport && (gold.length || boxed) && ["Z", t("zoom to the turn, or to the gold")],
    ].filter(Boolean);
  }

  disconnectedCallback() {
    this.#ending?.abort();
    this.#viewer?.close();
    for (const made of this.querySelectorAll(".frame__view, .frame__marks, .frame__tools, .frame__tip, .frame__chosen")) made.remove();
    this.classList.remove("is-live");
  }

  async #open() {
    const { viewer, tiles, image, width, height, tileSize, tileOverlap } = this.dataset;
    const view = document.createElement("div");
    view.className = "frame__view";
    this.append(view);
    try {
      this.#viewer = await FrameViewer.open(view, {
        script: viewer,
        tiles,
        image,
        width: Number(width),
        height: Number(height),
        tileSize: Number(tileSize ?? 512),
        tileOverlap: Number(tileOverlap ?? 0),
        label: this.dataset.label,
      });
    } catch (error) {
      // The drawn image without zoom stays in place.
      view.remove();
      console.warn(error.message);
      return;
    }
    this.append(this.#marks.element, frameTools(this.#viewer, () => this.#link()));
    this.#viewer.onMove(() => this.#place());
    this.#viewer.onOpen(() => this.#box && this.#viewer.flyTo(this.#box));
    this.#viewer.onFailure(() => this.classList.remove("is-live"));
  }

  #place() {
    const viewport = this.#viewer.viewport;
    if (!viewport) return;
    this.classList.add("is-live");
    this.#marks.place(viewport);
    this.querySelector(".frame__tools output").value = magnification(viewport.scale);
    this.dispatchEvent(new CustomEvent("framemove", { bubbles: true, detail: { seen: this.#viewer.seen } }));
  }

  /** The part of the image that is seen now, in its pixels; it may reach beyond the image. Null before it is there. */
  get seen() {
    return this.#viewer?.seen ?? null;
  }

  /** The point of the image under a point of the window, or null before the image is there. */
  pointUnder({ clientX, clientY }) {
    const { left, top } = this.getBoundingClientRect();
    return this.#viewer?.viewport?.pointOf(clientX - left, clientY - top) ?? null;
  }

  /** Show this part of the image, in its pixels, at once. */
  lookAt(box) {
    if (this.#viewer?.viewport) this.#viewer.lookAt(box);
  }

  #listen() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    this.#selection.addEventListener("change", () => this.#changed(), { signal });
    turnsBeyond(this.#selection, signal);
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    document.addEventListener("click", (event) => this.#click(event), { signal });
    // A piece of the page that htmx fetches changes the address too; the turn in focus stays in it.
    document.addEventListener("htmx:replacedInHistory", () => this.#writeAddress(), { signal });
    document.addEventListener("input", ({ target }) => target.matches("[data-turns]") && this.#selection.select(Number(target.value)), { signal });
    lightTogether(signal);
    window.addEventListener("hashchange", () => this.#follow(), { signal });
    tipOverTurns(this, this.#data.turns ?? [], signal);
    linkChosen(this, this.#data.turns ?? [], this.#selection.current, signal);
    if (this.#data.dense?.length) pickAmongMany(this, this.#data.turns, this.#selection, this.#marks, signal);
  }

  #key(event) {
    const act = {
      "[": () => this.#selection.previous(),
      "]": () => this.#selection.next(),
      g: () => this.#selection.toggleGold(),
      f: () => this.#viewer?.fit(),
      z: () => this.#fly(),
    }[singleKey(event)];
    if (!act) return;
    event.preventDefault();
    act();
  }

  #click(event) {
    if (event.target.closest("a[href^='#']")?.hash === location.hash) this.#follow();
    const target = event.target.closest("[data-turn]");
    const link = event.target.closest("a, button, summary, input");
    if (!target || (link && link !== target)) return;
    event.preventDefault();
    this.#selection.select(Number(target.dataset.turn));
  }

  /** To the turn and the region that the address names. */
  #follow() {
    const box = boxOf(location.hash);
    this.#selection.select(turnOf(location.hash));
    if (!box || !this.#viewer?.viewport) return;
    this.#box = box;
    this.#writeAddress();
    this.#viewer.flyTo(box);
    this.scrollIntoView({ block: "nearest" });
  }

  #fly() {
    const turn = this.#data.turns?.find((one) => one.turn === this.#selection.current);
    const box = turn?.executed ?? this.#data.gold?.[0]?.box;
    if (box && this.#viewer) this.#viewer.flyTo(withMargin(box, 0.5));
  }

  #writeAddress() {
    history.replaceState(history.state, "", hashOf(this.#selection.current, this.#box) || location.pathname + location.search);
  }

  #changed() {
    const turn = this.#selection.current;
    this.#box = null;
    this.#writeAddress();
    this.#show();
    this.dispatchEvent(new CustomEvent("turnchange", { bubbles: true, detail: { turn } }));
  }

  #show() {
    const turn = this.#selection.current;
    this.#marks.focus(turn);
    this.#marks.showGold(this.#selection.showsGold);
    showOnPage(turn);
  }

  /** What is seen now goes into the address, so that a link to it opens the same. */
  #link() {
    this.#box = this.#viewer.seen;
    this.#writeAddress();
    return location.href;
  }
}
