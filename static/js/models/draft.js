/** The content of a sample's annotation as the server knows it, and two versions of it side by side. */

import { gettext_noop } from "../lib/t.js";

const EMPTY = {
  question: "",
  answer_type: "mc",
  options: {},
  answer: [],
  gold_boxes: [],
  reference_toolchain: [],
  targets: [],
  distractors: [],
  likeness: {},
  ordered: null,
  facets: {},
  unanswerable: null,
};

/** Content with every field, frozen where it is shared. */
export const completed = (content) => ({ ...EMPTY, ...content });

/** What belongs together: taking the options of one side and the answer of the other would make nonsense. */
const ROWS = [
  [gettext_noop("Question"), ["question"]],
  [gettext_noop("Options and answer"), ["answer_type", "options", "answer", "unanswerable"]],
  [gettext_noop("Evidence boxes"), ["gold_boxes"]],
  [gettext_noop("Reference toolchain"), ["reference_toolchain"]],
  [gettext_noop("Tool plan"), ["targets", "distractors", "likeness", "ordered"]],
  [gettext_noop("Facets"), ["facets"]],
];

const canonical = (value) =>
  JSON.stringify(value, (_, inner) =>
    inner && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

/** Whether two contents, or parts of them, say the same. */
export const same = (a, b) => canonical(a) === canonical(b);

const part = (content, fields) => Object.fromEntries(fields.map((field) => [field, content[field]]));

/**
 * The rows in which two versions differ, with the side that changed it since `base`; mine when both did.
 * @returns {{name: string, side: "mine"|"theirs", mine: object, theirs: object, base: object}[]}
 */
export function differences(base, mine, theirs) {
  return ROWS.map(([name, fields]) => ({ name, mine: part(mine, fields), theirs: part(theirs, fields), base: part(base, fields) }))
    .filter((row) => !same(row.mine, row.theirs))
    .map((row) => ({ ...row, side: same(row.mine, row.base) ? "theirs" : "mine" }));
}

/** The names of the rows that two versions have alike. */
export const alike = (mine, theirs) =>
  ROWS.filter(([, fields]) => same(part(mine, fields), part(theirs, fields))).map(([name]) => name);

/** Theirs, with the rows for which mine was chosen. */
export const mixed = (theirs, rows) => rows.reduce((content, row) => ({ ...content, ...row[row.side] }), theirs);

/** One value of one facet on or off; `alone` leaves no other value beside it. */
export function toggleFacet(content, name, value, alone = false) {
  const had = content.facets[name] ?? [];
  const without = had.filter((one) => String(one) !== String(value));
  const values = without.length < had.length ? without : [...(alone ? [] : had), value];
  const { [name]: _, ...others } = content.facets;
  return { ...content, facets: values.length ? { ...others, [name]: values } : others };
}

const IN_PIXELS = ["gold_boxes", "reference_toolchain"];

/**
 * Work that was left on an image of other pixels, to go on with on the new one: its texts, and the evidence and toolchain
 * of the server. It goes on from the version of the server if nobody changed the texts there.
 */
export function onNewImage({ version, content, base }, server) {
  const theirs = completed(server.content);
  const moved = (one) => ({ ...completed(one), ...part(theirs, IN_PIXELS) });
  const found = { content: moved(content), sent: null };
  if (!base || same(moved(base), theirs)) return { ...found, version: server.version, base: theirs };
  return { ...found, version, base: moved(base) };
}
