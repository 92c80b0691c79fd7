import { t } from "../lib/t.js";
import { differenceOf } from "./difference.js";
import { differences, same } from "./draft.js";
import { LIKENESS } from "./likeness.js";
import { merged } from "./merge.js";
import { polygonWords, written } from "./outline.js";

const listed = (things) => things.join("\n") || t("none");

const boxWords = ({ box: [x1, y1, x2, y2], kind, points, label, source }) =>
  [points ? (kind === "point" ? `${t("point")} ${written(points)}` : polygonWords(points)) : t("%(size)s at %(x)s, %(y)s", { size: `${x2 - x1} × ${y2 - y1} px`, x: x1, y: y1 }), label, source && t("adopted from %(source)s", { source })].filter(Boolean).join(", ");

const planWords = ({ targets, distractors, likeness = {}, ordered }) => [
  ...targets.map(({ tool, step, either }) => [`${step} ${tool}`, either && t("interchangeable")].filter(Boolean).join(", ")),
  ...distractors.map((tool) => [t("distractor %(tool)s", { tool }), LIKENESS[likeness[tool]]?.()].filter(Boolean).join(", ")),
  ...(ordered === null ? [] : [ordered ? t("ordered") : t("any order")]),
];

const callWords = ({ tool, arguments: given, image_in, image_out }) =>
  [tool, ...Object.entries(given).map(([name, value]) => `${name}=${JSON.stringify(value)}`), `${image_in ?? t("latest")} → ${image_out ?? t("new")}`].join(" ");

/** Each part of a content as text, for comparison by a person. */
const WORDS = {
  Question: ({ question }) => question || t("empty"),
  "Options and answer": ({ answer_type, options, answer, unanswerable }) => {
    if (unanswerable !== null) return t("cannot be answered: %(reason)s", { reason: unanswerable });
    return answer_type === "mc"
      ? listed(Object.entries(options).map(([key, text]) => `${answer.includes(key) ? "✓ " : ""}${key} ${text}`))
      : t("open: %(answers)s", { answers: listed(answer) });
  },
  "Evidence boxes": ({ gold_boxes }) => listed(gold_boxes.map(boxWords)),
  "Reference toolchain": ({ reference_toolchain }) => listed(reference_toolchain.map(callWords)),
  "Tool plan": (plan) => listed(planWords(plan)),
  Facets: ({ facets }) => listed(Object.entries(facets).map(([name, values]) => `${name}: ${values.join(", ")}`)),
};

/** Whether both sides have another box in place of one: together they would be two of the same thing. */
function movedByBoth({ base: { gold_boxes: boxes = [] }, mine, theirs }) {
  const has = (side, one) => side.gold_boxes.some((other) => same(one, other));
  return boxes.some((one) => !has(mine, one) && !has(theirs, one));
}

/**
 * The rows in which two versions differ. `side` is the initial choice: the side that changed the row. If both did, it is
 * both together where they can be merged without duplicates, else mine. `runs` has each side as text, with its changes
 * since the base.
 * @returns {{name: string, side: string, mine: object, theirs: object, both: object|null, runs: object}[]}
 */
export function conflictRows(base, mine, theirs) {
  return differences(base, mine, theirs).map((row) => {
    const both = merged(row.name, row.base, row.mine, row.theirs);
    const runs = (part) => differenceOf(WORDS[row.name](row.base), WORDS[row.name](part));
    const sides = { mine: runs(row.mine), theirs: runs(row.theirs), both: both && runs(both) };
    return { ...row, both, side: both && !movedByBoth(row) ? "both" : row.side, runs: sides };
  });
}

/** How many rows come from where, as a sentence. */
export function sumOf(rows) {
  const count = (side) => rows.filter((row) => row.side === side).length;
  const words = {
    mine: (values) => t("%(count)s of %(total)s from this browser", values),
    theirs: (values) => t("%(count)s of %(total)s from the server", values),
    both: (values) => t("%(count)s of %(total)s from both", values),
  };
  const parts = Object.entries(words).map(([side, say]) => [count(side), say]).filter(([n]) => n);
  return `${parts.map(([n, say]) => say({ count: n, total: rows.length })).join(", ")}.`;
}
