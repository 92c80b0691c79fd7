import { addProposed } from "./box-list.js";
import { same } from "./draft.js";

/**
 * What models drafted for the fields of a sample. Accepting gives new content and leaves the old one unchanged.
 *
 * A draft is {field, content, source}: content is a text (question, answer), {letter: text} (options),
 * [{box: [x1, y1, x2, y2], label, score, points}] (boxes; points of a polygon or a point), calls (toolchain), [{tool, step}] (targets) or names (distractors).
 */

/** The part of a content that a field fills, where it is a list. */
const PARTS = { boxes: "gold_boxes", toolchain: "reference_toolchain", targets: "targets", distractors: "distractors" };

const plain = (text) => text.trim().toLowerCase().replace(/\s+/g, " ");

/** The letter of the option with this text, or undefined. */
const letterOf = (options, text) => Object.keys(options).find((letter) => plain(options[letter]) === plain(text));

/** Whether the field still has nothing of the person's own, so that Tab can mean the draft. */
export function isEmpty(field, content) {
  if (field === "question") return content.question.trim() === "";
  if (field === "options") return Object.values(content.options).every((text) => text.trim() === "");
  if (field === "answer") return content.answer.every((text) => text.trim() === "");
  return content[PARTS[field]].length === 0;
}

/** Whether the draft can be accepted now: an answer to options needs the option with its text. */
export function isAcceptable({ field, content: drafted }, content) {
  return field !== "answer" || content.answer_type === "open" || letterOf(content.options, drafted) !== undefined;
}

/** The content with the draft in its field. Shapes are added to those that are there, and keep their source. */
export function accepted({ field, content: drafted, source }, content, size) {
  if (field === "question") return { ...content, question: drafted };
  if (field === "options") return { ...content, answer_type: "mc", options: { ...drafted }, answer: [] };
  if (field === "boxes") return drafted.reduce((whole, one) => addProposed(whole, { ...one, source }, size), content);
  if (field === "toolchain") return { ...content, reference_toolchain: draftedCalls({ content: drafted, source }) };
  if (field === "targets") {
    const names = drafted.map(({ tool }) => plain(tool));
    return { ...content, targets: structuredClone(drafted), distractors: content.distractors.filter((tool) => !names.includes(plain(tool))) };
  }
  if (field === "distractors") {
    const taken = content.targets.map(({ tool }) => plain(tool));
    return { ...content, distractors: drafted.filter((tool) => !taken.includes(plain(tool))) };
  }
  return { ...content, answer: [content.answer_type === "open" ? drafted : letterOf(content.options, drafted)] };
}

/** The calls of a drafted toolchain as an annotation has them: each with its source. */
export const draftedCalls = ({ content, source }) => content.map((call) => ({ ...structuredClone(call), source }));

/** Whether the field of the content is the draft. */
export function holds({ field, content: drafted, source }, content) {
  if (field === "question") return plain(content.question) === plain(drafted);
  if (field === "options") {
    const texts = Object.values(content.options).map(plain);
    return Object.values(drafted).every((text) => texts.includes(plain(text)));
  }
  if (field === "boxes" || field === "toolchain") return content[PARTS[field]].some((one) => one.source === source);
  if (field === "targets") return same(content.targets, drafted);
  if (field === "distractors") return content.distractors.length > 0 && drafted.every((tool) => content.distractors.includes(tool));
  return content.answer.some((said) => plain(content.options[said] ?? said) === plain(drafted));
}
