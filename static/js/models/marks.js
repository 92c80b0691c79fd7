import { area, isBox } from "../lib/geometry.js";
import { share } from "../lib/format.js";
import { t } from "../lib/t.js";

/**
 * What lies over an image, in drawing order: asked for, executed, found by a detector, gold, notes.
 * @param {{gold?: {box: number[], points?: number[][], label?: string}[], turns?: object[], notes?: {box: number[], label: string}[], found?: {box: number[], label: string}[]}} data as the page gives it
 * @returns {{kind: string, box: number[], turn: number|null, tag: string}[]}
 */
export function marksOf({ gold = [], turns = [], notes = [], found = [] }) {
  const asked = turns
    .filter(({ requested, executed }) => isBox(requested) && String(requested) !== String(executed))
    .map(({ turn, requested }) => ({ kind: "asked", box: requested, turn, tag: "" }));
  const crops = turns
    .filter(({ executed }) => isBox(executed))
    .map(({ turn, label, executed }) => ({ kind: "crop", box: executed, turn, tag: label ?? String(turn) }));
  const golds = gold
    .filter(({ box }) => isBox(box))
    .map(({ box, points, label }, place) => ({ kind: "gold", box, ...(points && { points }), turn: null, tag: label ?? `G${place + 1}` }));
  const detected = found.filter(({ box }) => isBox(box)).map(({ box, label }) => ({ kind: "found", box, turn: null, tag: label }));
  const pinned = notes.filter(({ box }) => isBox(box)).map(({ box, label }) => ({ kind: "note", box, turn: null, tag: label }));
  return [...asked, ...crops, ...detected, ...golds, ...pinned];
}

/** The turns whose crop holds a point of the image, the smallest crop first. */
export function turnsUnder(turns, [x, y]) {
  const holds = ({ executed: box }) => isBox(box) && box[0] <= x && x <= box[2] && box[1] <= y && y <= box[3];
  return turns.filter(holds).sort((one, other) => area(one.executed) - area(other.executed));
}

/** The lines of the tip over a turn, or over the crop of a run, which has a label. Coverage is the share of gold in the crop, concentration the share of the crop that is gold. */
export function tipOf({ turn, label, tool, coverage, concentration, iou }) {
  const parts = [];
  if (coverage !== undefined) parts.push(t("coverage %(share)s", { share: share(coverage) }), t("concentration %(share)s", { share: share(concentration) }));
  if (iou !== undefined) parts.push(`IoU ${share(iou)}`);
  return { title: label ?? t("Turn %(turn)s", { turn }), tool: tool ?? "", text: parts.join(" · ") };
}
