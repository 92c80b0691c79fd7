import { same } from "./draft.js";

/**
 * Both sides of a conflict in one, row by row: what either side changed since the base is changed, and null where the
 * two cannot stand together. Nothing that one side added is lost.
 */

const NOT = Symbol("both changed it");

/** The value that the one side gave that changed it. */
function either(base, mine, theirs) {
  if (same(mine, theirs) || same(theirs, base)) return mine;
  return same(mine, base) ? theirs : NOT;
}

/** Things of a list: what one side took away is gone, what either added is there, in the order of mine. */
function together(base, mine, theirs) {
  const has = (list, one) => list.some((other) => same(one, other));
  const kept = mine.filter((one) => has(theirs, one) || !has(base, one));
  return [...kept, ...theirs.filter((one) => !has(mine, one) && !has(base, one))];
}

/** Objects of named values: each name by itself, by `merge(base, mine, theirs)`. */
function named(base, mine, theirs, merge) {
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])].sort();
  const entries = names.map((name) => [name, merge(base[name], mine[name], theirs[name])]);
  if (entries.some(([, value]) => value === NOT)) return NOT;
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** What was changed of a text as one run of words: where it begins and ends in `before`, and what is there now. */
function changed(before, after) {
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return { start, end: before.length - end, words: after.slice(start, after.length - end) };
}

function text(base, mine, theirs) {
  const words = base.split(/(\s+)/);
  const [first, last] = [mine, theirs].map((one) => changed(words, one.split(/(\s+)/))).sort((a, b) => a.start - b.start || a.end - b.end);
  // Beside each other they say which comes first only if something stands between them.
  if (first.end >= last.start) return null;
  return [...words.slice(0, first.start), ...first.words, ...words.slice(first.end, last.start), ...last.words, ...words.slice(last.end)].join("");
}

function answering(base, mine, theirs) {
  const { unanswerable } = mine;
  // An answer and the reason why there is none cannot stand together.
  if (!same(unanswerable, theirs.unanswerable)) return null;
  const type = either(base.answer_type, mine.answer_type, theirs.answer_type);
  const options = named(base.options, mine.options, theirs.options, either);
  const answer = either(base.answer, mine.answer, theirs.answer);
  if ([type, options, answer].includes(NOT)) return null;
  const letters = Object.keys(options).sort().join("");
  const whole = letters === "ABCDEFGHIJKLMNOPQRSTUVWXYZ".slice(0, letters.length);
  return whole && (type !== "mc" || answer.every((letter) => letter in options)) ? { answer_type: type, options, answer, unanswerable } : null;
}

function planned(base, mine, theirs) {
  const [targets, distractors] = ["targets", "distractors"].map((name) => together(base[name], mine[name], theirs[name]));
  const ordered = either(base.ordered, mine.ordered, theirs.ordered);
  const likeness = named(base.likeness ?? {}, mine.likeness ?? {}, theirs.likeness ?? {}, either);
  const noted = [base, mine, theirs].some((one) => one.likeness) ? { likeness } : {};
  const tools = [...targets.map(({ tool }) => tool), ...distractors];
  return ordered === NOT || likeness === NOT || new Set(tools).size < tools.length ? null : { targets, distractors, ...noted, ordered };
}

const MERGES = {
  Question: (base, mine, theirs) => {
    const question = text(base.question, mine.question, theirs.question);
    return question === null ? null : { question };
  },
  "Options and answer": answering,
  "Evidence boxes": (...sides) => ({ gold_boxes: together(...sides.map(({ gold_boxes: boxes }) => boxes)) }),
  "Reference toolchain": () => null,
  "Tool plan": planned,
  Facets: (base, mine, theirs) => ({
    facets: named(base.facets, mine.facets, theirs.facets, (was = [], here = [], there = []) => {
      const values = together(was, here, there);
      return values.length ? values : undefined;
    }),
  }),
};

/** The row of this name with both sides in it, or null where there is no such thing, or it is one of the two. */
export function merged(name, base, mine, theirs) {
  const both = MERGES[name](base, mine, theirs);
  return both && !same(both, mine) && !same(both, theirs) ? both : null;
}
