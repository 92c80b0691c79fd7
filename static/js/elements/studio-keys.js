import { chordOf } from "../lib/key-combinations.js";
import { isTyping } from "../lib/keys.js";
import { t } from "../lib/t.js";
import { OwnTable } from "./own-table.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** What is done to the image and its boxes, by name. */
const ON_IMAGE = new Set(["box", "polygon", "point", "click", "next-box", "corner", "add-corner", "hand", "delete", "duplicate", "fit", "evidence", "eye", "boxes", "turn", "closer", "farther"]);
/** What leads from a sample of one's own to others. */
const ON_OWN = new Set(["previous", "following", "report"]);
const ON_SUGGESTIONS = new Set(["adopt", "adopt-all", "suggestions"]);

const FIXED_ON_DRAFTS = [
  ["Tab", t("in an empty field: accept its draft")],
  ["Escape", t("in a field: dismiss its draft")],
];

const FIXED_ON_POLYGONS = [
  ["Click", t("add a corner of the polygon")],
  ["Enter", t("close the polygon; or double-click, or click its first corner")],
  ["Backspace", t("remove the last corner of the polygon")],
  ["Click", t("on the middle of a side: add a corner; or drag it")],
  ["Alt Click", t("on a corner: remove it; or double-click it")],
  ["← → ↑ ↓", t("move the selected corner of a polygon; Delete removes it")],
];

const FIXED_ON_CLICKS = [
  ["Enter", t("accept the shape that a model proposed; select the center instead of a click")],
  ["Escape", t("dismiss the shape that a model proposed")],
];

const FIXED_ON_IMAGE = [
  ["← → ↑ ↓", t("move the box by 1 px, with Shift 10 px; pan if no box is selected")],
  ["Alt ←", t("resize the box")],
  ["Escape", t("leave the field; then deselect the box")],
  ["Space", t("hold and drag to pan; or drag with the middle button")],
];

/** What keys do that stay what they are. */
const FIXED = [
  ["Tab", t("next box or field")],
  ["Shift A … Z", t("start the question; or press Enter, or type its first letters")],
  ["Enter", t("from the question to the answer; next option")],
  [";", t("after an option: next option; after a tool: add as target")],
  ["-", t("before a tool: add as distractor")],
  ["Alt Enter", t("in the question: switch the answer type")],
  ["*", t("before an option: mark it as the answer; or Alt Enter")],
  ["A … Z", t("in the answer circles: choose this option")],
  ["1 … 9", t("value of the first facet; Shift: second facet; Alt: third facet")],
  ["Alt ↑", t("move an option or a target")],
];

/** A number key, by its place: held keys give it other signs, on every keyboard its own. The facet is the one that is held for. */
function numbered({ code, shiftKey, altKey }) {
  const number = /^Digit([1-9])$/.exec(code ?? "");
  return number && shiftKey !== altKey ? ["facet", Number(number[1]), altKey ? 2 : 1] : null;
}

/** The keys of the studio as one person has them. */
export class StudioKeys extends OwnTable {
  /** For the list of keys: those that do something on a sample with or without an image, suggested boxes, drafts, a discussion, and of one's own. */
  rowsWith({ image, suggestions, discussion, drafts = false, own = false }) {
    const has = (name) => (image || !ON_IMAGE.has(name)) && (suggestions || !ON_SUGGESTIONS.has(name)) && (discussion || name !== "comment") && (own || !ON_OWN.has(name));
    return [...this.rowsOf(has), ...(drafts ? FIXED_ON_DRAFTS : []), ...(image && this.knows("click") ? FIXED_ON_CLICKS : []), ...(image && this.knows("polygon") ? FIXED_ON_POLYGONS : []), ...(image ? FIXED_ON_IMAGE : []), ...FIXED];
  }

  /** What a key press asks for, as [name, …values]; null when it is none of the studio's. */
  asked(event) {
    const chord = chordOf(event);
    if (event.ctrlKey || event.metaKey) return this.#asked(chord);
    if (event.key === "Escape") return ["escape"];
    // A target of the tool plan has arrows and Delete of its own, and the circles before the options take letters.
    if (event.target.closest(".plan-target, [name=right]")) return null;
    const arrow = ARROWS[event.key];
    if (arrow && !event.target.closest("input, textarea, select, [role=tab]")) {
      const by = arrow.map((one) => one * (event.shiftKey ? 10 : 1));
      return [event.altKey ? "grow" : "nudge", ...by];
    }
    if (isTyping(event.target)) return null;
    if (/^[1-9]$/.test(chord)) return ["facet", Number(chord), 0];
    return this.#asked(chord) ?? numbered(event);
  }

  #asked(chord) {
    const name = this.named(chord);
    return name ? [name] : null;
  }
}
