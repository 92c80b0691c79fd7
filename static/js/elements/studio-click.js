import { isTyping } from "../lib/keys.js";
import { sendJson } from "../lib/request.js";
import { t } from "../lib/t.js";
import { Clicks } from "../models/clicks.js";
import { FrameMarks } from "./frame-marks.js";
import { token } from "./review-send.js";
import { pinAt } from "./stage-places.js";

/** Milliseconds after which no answer comes any more: the server gives up before. */
const LONGEST = 30_000;
/** Milliseconds for which a problem is shown. */
const SHOWN = 8000;
/** The tools that a press on the image is for. */
export const DRAWING = new Set(["box", "polygon", "point", "hand"]);
/** Pixels of the screen between the buttons and the edge of the pane. */
const GAP = 12;

/**
 * A shape for a point: the person clicks on the image, a model proposes a shape there, and it is dotted until it is
 * accepted or dismissed. Enter takes the middle of what is seen, and then accepts; Escape leaves.
 */
export class ShapeFromClick {
  #root;
  #url;
  #size;
  #image;
  #canvas;
  #edit;
  #again;
  #signal;
  #clicks = new Clicks();
  #marks = new FrameMarks([]);
  #picking = false;
  #waiting = false;
  #hiding = 0;

  /** @param {() => void} again shows everything again */
  constructor(root, { url, size, image, canvas, edit, again, signal }) {
    this.#root = root;
    this.#url = url;
    this.#size = size;
    this.#image = image;
    this.#canvas = canvas;
    this.#edit = edit;
    this.#again = again;
    this.#signal = signal;
    canvas.lay(this.#marks);
    this.#button.addEventListener("click", () => this.#picking ? this.stop() : this.begin(), { signal });
    // Another tool is chosen instead.
    root.querySelector(".stage-tools").addEventListener("click", ({ target }) => DRAWING.has(target.closest("[data-tool]")?.dataset.tool) && this.stop(), { signal });
    this.#panel.addEventListener("click", ({ target }) => this.#clicked(target.closest("[data-click-act]")), { signal });
  }

  /** What the person decided, by the number of the shape. */
  get decisions() {
    return this.#clicks.decisions;
  }

  /** The next press on the image is the point. */
  begin() {
    if (this.#waiting || !this.#canvas || this.#canvas.isReadOnly) return;
    this.#picking = true;
    this.#say(t("Click the object. Enter selects the center, Esc cancels."));
    this.#button.setAttribute("aria-pressed", "true");
    // Enter and Escape are for the point and its shape, not for a field or the button.
    this.#root.querySelector(".stage").focus({ preventScroll: true });
    this.#canvas.places.pick((place) => this.#ask(place));
  }

  /** Pick no point after all; true if one was picked. */
  stop() {
    if (!this.#picking) return false;
    this.#leavePicking();
    this.#say("");
    return true;
  }

  /** Take Enter or Escape while a point is picked, or a shape waits; true when it did something. */
  key(event) {
    if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey || !["Enter", "Escape"].includes(event.key)) return false;
    const accepts = event.key === "Enter";
    if (isTyping(event.target) || (accepts && event.target.closest?.("button, a, summary, input"))) return false;
    if (this.#picking) {
      const { middle } = this.#canvas.places;
      if (accepts) this.#ask(middle);
      else this.stop();
      return true;
    }
    if (!this.#clicks.open) return false;
    this.#decide(accepts);
    return true;
  }

  show(content) {
    this.#clicks.follow(content);
    const { open } = this.#clicks;
    this.#marks.set(open ? [{ kind: "drafted", box: open.box, points: open.points ?? undefined, turn: null, tag: "", name: open.source }] : []);
    const said = t("Accept the shape, proposed by %(source)s", { source: open?.source ?? "" });
    this.#canvas.places.show("click", open ? [pinAt({ x: open.box[2], y: open.box[1] }, "pin--suggested", t("Accept"), said, () => this.#decide(true))] : []);
    this.#panel.hidden = !open;
    if (!open) return;
    const score = typeof open.score === "number" ? open.score.toFixed(2) : "";
    const kind = open.points ? t("dotted polygon") : t("dotted box");
    this.#panel.querySelector("[data-part=click-text]").textContent = [kind, [open.label, score].filter(Boolean).join(" ")].filter(Boolean).join(" · ");
    this.#panel.querySelector("[data-part=click-source]").textContent = t("Proposed by %(source)s", { source: open.source });
  }

  async #ask({ x, y }) {
    this.#leavePicking();
    this.#waiting = true;
    this.#button.setAttribute("aria-busy", "true");
    this.#say(t("Waiting for the model …"));
    const { shape, trouble } = await this.#sent({ x: x + 0.5, y: y + 0.5 });
    if (this.#signal.aborted) return;
    this.#waiting = false;
    this.#button.removeAttribute("aria-busy");
    this.#say(trouble, SHOWN);
    if (!shape) return;
    this.#clicks.add(shape);
    this.#canvas.say(t("The model proposes a shape. Enter accepts it, Esc dismisses it."));
    this.#again();
    this.#reveal();
  }

  /** Bring the buttons into view in the pane. The page stays, since on a narrow screen the image would leave it. */
  #reveal() {
    const pane = this.#panel.closest(".scroll");
    if (!pane || pane.scrollHeight <= pane.clientHeight) return;
    const [inner, outer] = [this.#panel, pane].map((one) => one.getBoundingClientRect());
    if (inner.bottom > outer.bottom) pane.scrollBy({ top: inner.bottom - outer.bottom + GAP });
    else if (inner.top < outer.top) pane.scrollBy({ top: inner.top - outer.top - GAP });
  }

  async #sent(place) {
    try {
      const { status, data } = await sendJson("POST", this.#url, { ...place, image: this.#image }, { token: token(), longest: LONGEST });
      if (status < 300) return { shape: data, trouble: "" };
      return { shape: null, trouble: data.error?.message ?? t("The server returned an error (%(status)s).", { status }) };
    } catch (error) {
      console.warn(error.message);
      return { shape: null, trouble: t("No response from the server.") };
    }
  }

  #decide(accepts) {
    if (!accepts) this.#clicks.dismiss();
    else this.#edit((content) => this.#clicks.accept(content, this.#size));
    this.#again();
  }

  #clicked(button) {
    if (!button) return;
    this.#decide(button.dataset.clickAct === "accept");
    this.#button.focus();
  }

  #leavePicking() {
    this.#picking = false;
    this.#canvas.places.stopPicking();
    this.#button.setAttribute("aria-pressed", "false");
  }

  /** Show a sentence on the stage; "" for none, and none after `longest` ms. */
  #say(words, longest = 0) {
    const tip = this.#root.querySelector("[data-click-tip]");
    clearTimeout(this.#hiding);
    tip.textContent = words;
    tip.hidden = !words;
    if (words && longest) this.#hiding = setTimeout(() => this.#say(""), longest);
  }

  get #button() {
    return this.#root.querySelector("[data-tool=click]");
  }

  get #panel() {
    return this.#root.querySelector("[data-click]");
  }
}
