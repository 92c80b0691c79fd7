/** Several annotations of a sample and the one content that is made of them. Pure: contents go in, contents come out. */

const KEYS = {
  question: ["question", "answer_type", "options"],
  answer: ["answer"],
  evidence: ["gold_boxes"],
  facets: ["facets"],
  toolchain: ["reference_toolchain"],
  plan: ["targets", "distractors", "likeness", "ordered"],
};

const plain = (value) => {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, plain(value[key])]));
};
const equal = (one, other) => JSON.stringify(plain(one)) === JSON.stringify(plain(other));
const part = (content, field) => KEYS[field].map((key) => content[key] ?? null);
/** A box as its four numbers; a polygon or a point with what it is. */
const shapeOf = ({ box, kind, points }) => (points ? { box, kind, points } : box);
const entryOf = (value) => (Array.isArray(value) ? { box: value } : value);
const boxesOf = (content) => content.gold_boxes.map(shapeOf);

/** The annotations that answer the question, of which gold can be made. */
export const answering = (annotations) => annotations.filter(({ content }) => content.unanswerable === null);

/** The content with one field taken from an annotation. An answer comes with its question, as letters name its options. */
export const take = (content, field, annotation) => {
  const keys = field === "question" ? [...KEYS.question, ...KEYS.answer] : KEYS[field];
  return { ...content, ...Object.fromEntries(keys.map((key) => [key, annotation.content[key]])) };
};

/** The letters of the annotations that have the same value of a field. */
export const sameAs = (content, field, annotations) =>
  annotations.filter((one) => equal(part(one.content, field), part(content, field))).map(({ letter }) => letter);

/** What a group can become: each different box with the letters and the combinations that give it, then nothing. */
export const choices = ({ combined, members }) => {
  const found = [];
  const named = [...Object.entries(members).sort().map(([name, box]) => ["letters", name, box]), ...Object.entries(combined).map(([name, box]) => ["ways", name, box])];
  for (const [kind, name, box] of named) {
    let same = found.find((one) => equal(one.box, box));
    if (!same) found.push((same = { how: name, box, letters: [], ways: [] }));
    same[kind].push(name);
  }
  return [...found, { how: "none", box: null, letters: [], ways: [] }];
};

/** The place in the content of the box that stands for a group; -1 if the group is left out or its box was edited. */
const placeOf = (content, group) => {
  const known = choices(group).filter(({ box }) => box);
  return boxesOf(content).findIndex((box) => known.some((one) => equal(one.box, box)));
};

/** How the content has a group now: the name of one of its `choices`; "none" where it has no box of the group. */
export const chosen = (content, group) => {
  const at = placeOf(content, group);
  return at === -1 ? "none" : choices(group).find((one) => one.box && equal(one.box, boxesOf(content)[at])).how;
};

/** The content with the box of a group as `how` says; the label of the box that was there stays. */
export const takeGroup = (content, groups, index, how) => {
  const group = groups[index];
  const { box } = choices(group).find((one) => one.how === how || one.letters.includes(how) || one.ways.includes(how));
  const boxes = [...content.gold_boxes];
  const at = placeOf(content, group);
  if (at !== -1) boxes.splice(at, 1, ...(box ? [{ label: boxes[at].label, source: boxes[at].source, ...entryOf(box) }] : []));
  else if (box) {
    const before = groups.slice(0, index).map((one) => placeOf(content, one));
    boxes.splice(Math.max(-1, ...before) + 1, 0, { ...entryOf(box), label: "", source: "" });
  }
  return { ...content, gold_boxes: boxes };
};

/** The letters of the annotations that the content equals as a whole. */
export const wholeOf = (content, annotations) =>
  annotations.filter((one) => Object.keys(KEYS).every((field) => equal(part(one.content, field), part(content, field)))).map(({ letter }) => letter);

/** Whether the content lacks a box that the task asks for. A sample with a tool plan can have none. */
export const lacksBoxes = ({ gold_boxes: boxes, targets }, least) => boxes.length < least && Boolean(boxes.length || !targets.length);

/** A value of a field in a few words. */
export const words = (content, field) => {
  if (field === "question") return content.question;
  if (field === "answer") return content.answer.map((one) => (content.options[one] ? `${one} ${content.options[one]}` : one)).join(", ");
  if (field === "facets") return Object.entries(content.facets).map(([name, values]) => `${name}: ${values.join(", ")}`).join("; ");
  if (field === "toolchain") return content.reference_toolchain.map(({ tool }) => tool).join(" → ");
  if (field === "plan") return content.targets.map(({ tool, step }) => `${step} ${tool}`).join(", ");
  return "";
};
