import { t } from "../lib/t.js";
import { fieldsOf, fieldsThatDiffer, inFewWords, nameOf } from "../models/difference-fields.js";
import { entryDrawn, shape } from "./shapes.js";

const TAGS = { cut: "del", added: "ins" };

function made(tag, text = "", name = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  if (name) element.className = name;
  return element;
}

/** Runs of models/difference.js as del and ins, which read without color and are announced. */
export function drawnRuns(runs) {
  return runs.map(({ kind, text }) => (TAGS[kind] ? made(TAGS[kind], text) : document.createTextNode(text)));
}

/** Two shapes to scale, the old one dashed. */
function drawnShapes(entries) {
  const [before, after] = entries.map(({ box }) => box);
  const [x1, y1] = [Math.min(before[0], after[0]), Math.min(before[1], after[1])];
  const [w, h] = [Math.max(before[2], after[2]) - x1, Math.max(before[3], after[3]) - y1];
  const margin = 0.08 * Math.max(w, h);
  const viewBox = [x1 - margin, y1 - margin, w + 2 * margin, h + 2 * margin].join(" ");
  const drawing = shape("svg", { viewBox, class: "marks review__boxes", "aria-hidden": "true" });
  for (const [at, name] of ["old", "gold"].entries()) entryDrawn(entries[at], { class: name }, drawing);
  return drawing;
}

function rowOf({ name, runs, note, shapes }) {
  const value = document.createElement("dd");
  value.dir = "auto";
  value.append(...drawnRuns(runs));
  if (shapes) {
    const line = made("div", "", "review__note");
    line.append(drawnShapes(shapes), made("span", note, "small muted"));
    value.append(line);
  }
  return [made("dt", nameOf(name)), value];
}

/** What changed since the revision before, as rows of a definition list; returns "3 of 9 fields". */
export function showDifference(list, before, after) {
  const { changed, same } = fieldsThatDiffer(before, after);
  list.replaceChildren(...changed.flatMap(rowOf));
  if (same.length) list.append(made("dt", t("Same"), "faint"), made("dd", inFewWords(same), "muted"));
  return t("%(count)s of %(total)s fields", { count: changed.length, total: changed.length + same.length });
}

/** All of a revision as rows of a definition list. */
export function showFields(list, content) {
  const rows = fieldsOf(content).map(({ name, text }) => {
    const value = made("dd", text);
    value.dir = "auto";
    return [made("dt", nameOf(name)), value];
  });
  list.replaceChildren(...rows.flat());
}
