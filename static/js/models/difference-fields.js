import { area, height, intersection, width } from "../lib/geometry.js";
import { share } from "../lib/format.js";
import { gettext_noop, t, tn } from "../lib/t.js";
import { polygonWords, written } from "./outline.js";
import { differenceOf } from "./difference.js";
import { LIKENESS } from "./likeness.js";

const MINUS = "\u2212";
const GAP = "\u00a0";

const size = (box) => `${width(box)} × ${height(box)}${GAP}px`;
const place = (box) => t("%(size)s at %(x)s, %(y)s", { size: size(box), x: box[0], y: box[1] });
const shapeText = ({ box, kind, points }) => {
  if (kind === "point") return t("point %(points)s", { points: written(points) });
  return points ? polygonWords(points) : place(box);
};
const boxText = (one) => (one ? [shapeText(one), one.label, one.source && t("adopted from %(source)s", one)].filter(Boolean).join(" ") : "");
const letters = (options, answer) => (options?.[answer] === undefined ? String(answer) : `${answer}, ${options[answer]}`);
const call = ({ tool, arguments: given }) => {
  const said = Object.entries(given ?? {}).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${tool}(${said.join(", ")})`;
};

function plan({ targets = [], distractors = [], likeness = {}, ordered = null }) {
  const noted = (text, note) => [text, note].filter(Boolean).join(", ");
  const lines = targets.map(({ tool, step, either }) => noted(t("step %(step)s %(tool)s", { step, tool }), either && t("interchangeable")));
  for (const tool of distractors) lines.push(noted(t("distractor %(tool)s", { tool }), LIKENESS[likeness[tool]]?.()));
  if (ordered !== null) lines.push(ordered ? t("in this order") : t("in any order"));
  return lines.join("\n");
}

/** Each field of a content as name and text, in the order of the inspector. Fields without text are left out. */
function texts(content) {
  const rows = [[gettext_noop("Question"), content.question ?? ""]];
  for (const [letter, text] of Object.entries(content.options ?? {})) rows.push([`Option ${letter}`, text]);
  rows.push([gettext_noop("Answer"), (content.answer ?? []).map((one) => letters(content.options, one)).join("\n")]);
  rows.push([gettext_noop("Cannot be answered"), content.unanswerable ?? ""]);
  for (const [name, values] of Object.entries(content.facets ?? {})) rows.push([`Facet ${name}`, values.join(", ")]);
  rows.push([gettext_noop("Toolchain"), (content.reference_toolchain ?? []).map(call).join("\n")], [gettext_noop("Tool plan"), plan(content)]);
  return new Map(rows.filter(([, text]) => text));
}

/** How a box lies to the one before it, in words. */
export function boxNote(before, after) {
  const shared = intersection(before, after);
  if (!shared) return t("The new box doesn't overlap the old one.");
  const common = area(shared);
  const iou = common / (area(before) + area(after) - common);
  const change = Math.round(100 * (area(after) / area(before) - 1));
  const grown = change ? t("Area %(change)s%, IoU %(iou)s", { change: `${change < 0 ? MINUS : "+"}${Math.abs(change)}`, iou: share(iou) }) : `IoU ${share(iou)}`;
  if (common === area(after)) return `${t("The new box is inside the old one.")} ${grown}`;
  return common === area(before) ? `${t("The new box contains the old one.")} ${grown}` : grown;
}

/** A whole content as names and texts, boxes first. */
export function fieldsOf(content) {
  const boxes = (content.gold_boxes ?? []).map((one, at) => [`Box G${at + 1}`, boxText(one)]);
  return [...boxes, ...texts(content)].map(([name, text]) => ({ name, text }));
}

function boxRow(name, before, after) {
  const exactly = (one) => String(one?.points ?? one?.box);
  if (exactly(before) === exactly(after) && (before?.label ?? "") === (after?.label ?? "")) {
    return { name, same: true };
  }
  const shaped = [before, after].some((one) => one?.points);
  if (!before || !after || shaped || exactly(before) === exactly(after)) {
    // A point has no outline that could be drawn over the other one.
    const drawn = before && after && exactly(before) !== exactly(after) && [before, after].some(({ kind }) => kind === "polygon");
    return { name, runs: differenceOf(boxText(before), boxText(after)), ...(drawn && { shapes: [before, after] }) };
  }
  const moved = size(before.box) === size(after.box);
  const said = moved ? place : size;
  const runs = [
    { kind: "cut", text: said(before.box) },
    { kind: "added", text: said(after.box) },
  ];
  return { name, runs, shapes: [before, after], note: boxNote(before.box, after.box) };
}

function boxRows(before, after) {
  const count = Math.max(before.length, after.length);
  return Array.from({ length: count }, (_, n) => boxRow(`Box G${n + 1}`, before[n], after[n]));
}

/**
 * The fields of two revisions: boxes first, then texts.
 * @returns {{changed: {name: string, runs: object[], note?: string, boxes?: number[][]}[], same: string[]}}
 */
export function fieldsThatDiffer(before, after) {
  const [old, now] = [texts(before), texts(after)];
  const rows = boxRows(before.gold_boxes ?? [], after.gold_boxes ?? []);
  for (const name of new Set([...now.keys(), ...old.keys()])) {
    const [was, is] = [old.get(name) ?? "", now.get(name) ?? ""];
    rows.push(was === is ? { name, same: true } : { name, runs: differenceOf(was, is) });
  }
  return { changed: rows.filter(({ same }) => !same), same: rows.filter(({ same }) => same).map(({ name }) => name) };
}

/** What several fields have a kind of, with the text for one and for more of them. */
const KINDS = {
  Box: (one, n) => tn("Box %(one)s", "Boxes %(one)s", n, { one }),
  Option: (one, n) => tn("Option %(one)s", "Options %(one)s", n, { one }),
  Facet: (one, n) => tn("Facet %(one)s", "Facets %(one)s", n, { one }),
};

/** "Option A" as kind and one; other names have no kind. */
const parted = (name) => (KINDS[name.split(" ", 1)[0]] ? name.split(/ (.*)/s) : [name, ""]);

/** The name of a field in the language of the page. */
export function nameOf(name) {
  const [kind, one] = parted(name);
  return one ? KINDS[kind](one, 1) : t(name);
}

/** Names of fields in few words: "Answer, options A C, facets tier scene". */
export function inFewWords(names) {
  const groups = new Map();
  for (const name of names) {
    const [kind, one] = parted(name);
    groups.set(kind, [...(groups.get(kind) ?? []), one]);
  }
  const words = [...groups].map(([kind, ones]) => (ones[0] ? KINDS[kind](ones.join(" "), ones.length) : t(kind)));
  return words.map((one, at) => (at ? one[0].toLowerCase() + one.slice(1) : one)).join(", ");
}
