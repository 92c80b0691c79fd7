import { t } from "../lib/t.js";
import { addBox, addOutline, duplicateBox, growBox, nudgeBox, nudgeCorner, removeBox, setBox, setPoints } from "../models/box-list.js";
import { inPlaceOf, placeOn, withoutPoint, withPoint } from "../models/outline.js";
import { Canvas } from "./canvas.js";
import { FrameMarks } from "./frame-marks.js";
import { BoxList } from "./studio-boxes.js";

const TOOLS = new Set(["box", "polygon", "point"]);
/** What a shape is, to find it among others. */
const exactly = ({ box, points }) => JSON.stringify(points ?? box);

/** The evidence of the sample on the stage and in the form: one selection, one set of acts. */
export class StudioBoxes {
  #canvas;
  #list;
  #image;
  #edit;
  #again;
  #content = { gold_boxes: [] };
  #returned;
  #selected = null;
  /** The corner of the selected polygon that keys act on. */
  #corner = null;
  /** A box made by key that nothing was done to yet: the first drag after it draws it again. */
  #fresh = null;

  /** `shapes`: what may be drawn, the first at first. `old`: evidence of an earlier revision, drawn under a tag where they are no boxes any more. */
  constructor(root, image, edit, again, { old, tag, shapes }) {
    this.#image = image;
    this.#edit = edit;
    this.#again = again;
    const stage = root.querySelector(".stage");
    this.#canvas = new Canvas(stage, image, {
      drawn: (box) => this.#drawn(box),
      outlined: (kind, points) => this.#outlined(kind, points),
      changed: (at, box) => edit((content) => setBox(content, at, box)),
      reshaped: (at, points) => this.#reshaped(at, points),
      cornered: (at, corner) => this.#cornered(at, corner),
      selected: (at) => this.select(at),
    });
    this.#returned = new FrameMarks(old.map(({ box, points }) => ({ kind: "old", box, points, turn: null, tag })));
    this.#canvas.lay(this.#returned);
    this.#list = new BoxList(root.querySelector("[data-part=boxes]"), image, edit, (at) => this.select(at));
    this.#canvas.tool = shapes[0];
    stage.addEventListener("click", ({ target }) => {
      const name = target.closest("[data-tool]")?.dataset.tool;
      if (TOOLS.has(name)) this.#canvas.tool = name;
      else if (name) this.act(name, [], null);
    });
    stage.addEventListener("keydown", (event) => this.#tab(event, root.querySelector("[data-part=question]")));
    root.querySelector("[data-act=add-box]").addEventListener("click", () => this.#make());
  }

  /** From the last box on to the question; what helps to look is behind it, and before it for Shift Tab. */
  #tab(event, question) {
    const last = event.target.matches("g[data-at]") && Number(event.target.dataset.at) === this.#content.gold_boxes.length - 1;
    if (event.key !== "Tab" || event.shiftKey || !last) return;
    event.preventDefault();
    question.focus();
  }

  /** The stage, for what else is shown on it. */
  get canvas() {
    return this.#canvas;
  }

  open(signal, ready) {
    return this.#canvas.open(signal, ready);
  }

  /** What is chosen and how one looks at it, for `goBack`. */
  get mark() {
    return { selected: this.#selected, canvas: this.#canvas.mark };
  }

  goBack({ selected, canvas }) {
    this.#canvas.goBack(canvas);
    this.select(selected);
  }

  show(content) {
    this.#content = content;
    if (this.#selected !== null && this.#selected >= content.gold_boxes.length) this.#selected = null;
    if (this.#fresh && this.#fresh !== content) this.#fresh = null;
    if (this.#corner !== null && this.#corner >= this.#corners.length) this.#corner = null;
    // What stands as it was returned is not shown twice.
    const kept = new Set(content.gold_boxes.map(exactly));
    this.#returned.keep((mark) => !kept.has(exactly(mark)));
    this.#canvas.show(content, this.#selected, this.#corner);
    this.#list.show(content, this.#selected);
  }

  select(at) {
    if (at === this.#selected) return;
    this.#selected = at;
    this.#corner = null;
    this.#again();
  }

  /** The corners of the selected polygon; none where something else is selected. */
  get #corners() {
    const { kind, points } = this.#content.gold_boxes[this.#selected] ?? {};
    return kind === "polygon" ? points : [];
  }

  /** Do what a key or a button asks; false when there is nothing to do it to. */
  act(name, values, event) {
    const canvas = this.#canvas;
    const looking = {
      box: () => this.#draw("box"),
      polygon: () => this.#draw("polygon"),
      point: () => this.#draw("point"),
      "next-box": () => this.#next(),
      hand: () => (canvas.draws = false),
      fit: () => canvas.fit(),
      evidence: () => canvas.toEvidence(),
      eye: () => canvas.toggleEye(),
      boxes: () => (canvas.showsBoxes = !canvas.showsBoxes),
      turn: () => canvas.turn(),
      closer: () => canvas.magnify(1.5),
      farther: () => canvas.magnify(1 / 1.5),
    }[name];
    if (!looking) return this.#change(name, values);
    looking();
    return true;
  }

  #change(name, values) {
    if (name === "delete" && this.#canvas.sketching) {
      this.#canvas.sketch("back");
      return true;
    }
    if (name === "escape") return this.#escape();
    const at = this.#selected;
    if (at === null) return name === "nudge" && this.#pan(...values);
    if (this.#corners.length && this.#changeCorner(at, name, values)) return true;
    // Right on the keyboard is right on the screen, however the view is turned.
    const along = () => this.#canvas.along(...values);
    const change = {
      nudge: () => this.#edit((content) => nudgeBox(content, at, ...along(), this.#image), `nudge ${at}`),
      grow: () => this.#edit((content) => growBox(content, at, ...along(), this.#image, this.#canvas.turns), `grow ${at}`),
      delete: () => this.#edit((content) => removeBox(content, at)),
      duplicate: () => this.#added((content) => duplicateBox(content, at, this.#image)),
    }[name];
    if (!change) return false;
    change();
    return true;
  }

  /** Choose a corner of the selected polygon, or act on the one that is chosen; true where the key was for it. */
  #changeCorner(at, name, values) {
    const [corners, corner] = [this.#corners, this.#corner];
    if (name === "corner") this.#cornered(at, corner === null ? 0 : (corner + 1) % corners.length);
    else if (name === "add-corner") {
      const side = ((corner ?? 0) + 1) % corners.length;
      this.#reshaped(at, withPoint(corners, side));
      this.#cornered(at, placeOn(corners, side));
    } else if (corner === null) return false;
    else if (name === "delete") this.#reshaped(at, withoutPoint(corners, corner));
    else if (name === "nudge") this.#edit((content) => nudgeCorner(content, at, corner, ...this.#canvas.along(...values), this.#image), `nudge ${at} ${corner}`);
    else return false;
    return true;
  }

  /** Without a box arrows move the image, with Shift by half of what is seen. */
  #pan(...by) {
    this.#canvas.pan(...by.map((one) => Math.sign(one) * (Math.abs(one) > 1 ? 0.5 : 0.1)));
    return true;
  }

  #escape() {
    if (this.#canvas.dragging) this.#canvas.cancel();
    else if (this.#canvas.sketching) this.#canvas.sketch("leave");
    else if (this.#corner !== null) this.#cornered(this.#selected, null);
    else if (this.#selected === null) return false;
    else {
      document.activeElement?.blur();
      this.select(null);
    }
    return true;
  }

  #next() {
    const { gold_boxes: boxes } = this.#content;
    if (!boxes.length) return;
    this.#chosen(((this.#selected ?? -1) + 1) % boxes.length);
    this.#canvas.toEvidence();
  }

  /** Take a tool, without making a shape; true. */
  choose(name) {
    if (name === "hand") this.#canvas.draws = false;
    else this.#canvas.tool = name;
    return true;
  }

  /** Begin to draw; asked again, a shape in the middle. */
  #draw(tool) {
    const canvas = this.#canvas;
    if (canvas.isReadOnly || (canvas.draws && canvas.tool === tool)) this.#make();
    else canvas.tool = tool;
  }

  #make() {
    const { isReadOnly, tool } = this.#canvas;
    if (isReadOnly) return;
    const middle = this.#canvas.middle();
    if (tool !== "box") return this.#outlined(tool, inPlaceOf(tool, middle));
    this.#added((content) => addBox(content, middle));
    this.#fresh = this.#content;
  }

  #outlined(kind, points) {
    const before = this.#content.gold_boxes.length;
    this.#edit((content) => addOutline(content, kind, points, this.#image));
    if (this.#content.gold_boxes.length > before) this.#chosen(before);
  }

  /** What cannot be a shape stays as it was. */
  #reshaped(at, points) {
    const before = this.#content;
    this.#edit((content) => setPoints(content, at, points, this.#image));
    if (points.length < 3) this.#canvas.say(t("A polygon keeps three corners."));
    if (this.#content === before) this.#again();
  }

  /** The corner that keys act on; null: on the whole polygon again. */
  #cornered(at, corner) {
    this.#corner = corner;
    this.#again();
    if (this.#corner === null) return;
    const [x, y] = this.#corners[corner];
    this.#canvas.say(t("Corner %(n)s of %(count)s of %(name)s at %(x)s, %(y)s", { n: corner + 1, count: this.#corners.length, name: `G${at + 1}`, x, y }));
  }

  /** True if the key was for a polygon that is begun. */
  sketched({ key }) {
    const act = { Enter: "close", Backspace: "back" }[key];
    if (!this.#canvas.sketching || !act) return false;
    this.#canvas.sketch(act);
    return true;
  }

  #drawn(box) {
    const last = this.#content.gold_boxes.length - 1;
    if (this.#fresh === this.#content) {
      this.#edit((content) => setBox(content, last, box));
      this.#chosen(last);
    } else this.#added((content) => addBox(content, box));
  }

  #added(change) {
    this.#edit(change);
    this.#chosen(this.#content.gold_boxes.length - 1);
  }

  #chosen(at) {
    this.select(at);
    this.#canvas.focus(at);
  }
}
