import { settled } from "./box.js";

/**
 * What models drafted for the fields of a sample. Accepting gives new content and leaves the old one unchanged.
 *
 * A draft is {field, content, source}: content is a text (question, answer), {letter: text} (options) or
 * [{box: [x1, y1, x2, y2]}] (boxes).
 */

const plain = (text) => text.trim().toLowerCase().replace(/\s+/g, " ");

/** The letter of the option with this text, or undefined. */
const letterOf = (options, text) => Object.keys(options).find((letter) => plain(options[letter]) === plain(text));

/** Whether the field still has nothing of the person's own, so that Tab can mean the draft. */
export function isEmpty(field, content) {
  if (field === "question") return content.question.trim() === "";
  if (field === "options") return Object.values(content.options).every((text) => text.trim() === "");
  if (field === "answer") return content.answer.every((text) => text.trim() === "");
  return content.gold_boxes.length === 0;
}

/** Whether the draft can be accepted now: an answer to options needs the option with its text. */
export function isAcceptable({ field, content: drafted }, content) {
  return field !== "answer" || content.answer_type === "open" || letterOf(content.options, drafted) !== undefined;
}

/** The content with the draft in its field. Boxes are added to those that are there, and keep their source. */
export function accepted({ field, content: drafted, source }, content, size) {
  if (field === "question") return { ...content, question: drafted };
  if (field === "options") return { ...content, answer_type: "mc", options: { ...drafted }, answer: [] };
  if (field === "boxes") {
    const boxes = drafted.map(({ box }) => ({ box: settled(box, size), label: "", source }));
    return { ...content, gold_boxes: [...content.gold_boxes, ...boxes] };
  }
  return { ...content, answer: [content.answer_type === "open" ? drafted : letterOf(content.options, drafted)] };
}

/** Whether the field of the content is the draft. */
export function holds({ field, content: drafted, source }, content) {
  if (field === "question") return plain(content.question) === plain(drafted);
  if (field === "options") {
    const texts = Object.values(content.options).map(plain);
    return Object.values(drafted).every((text) => texts.includes(plain(text)));
  }
  if (field === "boxes") return content.gold_boxes.some((one) => one.source === source);
  return content.answer.some((said) => plain(content.options[said] ?? said) === plain(drafted));
}
