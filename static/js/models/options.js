/** The options of a multiple-choice sample. Letters follow the order; the answer stays with its text. */

const FIRST = "A".charCodeAt(0);
const LINE = /^\s*[([]?([A-Za-z])[)\].:]\s+(.*)$/;

export const letter = (place) => String.fromCharCode(FIRST + place);

/** The options in order: {letter, text, right}. */
export const listed = ({ options, answer }) =>
  Object.keys(options)
    .sort()
    .map((key) => ({ letter: key, text: options[key], right: answer.includes(key) }));

function withListed(content, list) {
  const options = Object.fromEntries(list.map(({ text }, place) => [letter(place), text]));
  const answer = list.flatMap(({ right }, place) => (right ? [letter(place)] : []));
  return { ...content, options, answer };
}

export const MOST = 26;

export function addOption(content, text = "") {
  const list = listed(content);
  return list.length < MOST ? withListed(content, [...list, { text, right: false }]) : content;
}

export const removeOption = (content, place) => withListed(content, listed(content).toSpliced(place, 1));

export function writeOption(content, place, text) {
  const list = listed(content);
  return withListed(content, list.with(place, { ...list[place], text }));
}

/** Put an option to another place; the others close up. */
export function moveOption(content, from, to) {
  const list = listed(content);
  const place = Math.min(list.length - 1, Math.max(0, to));
  return place === from ? content : withListed(content, list.toSpliced(from, 1).toSpliced(place, 0, list[from]));
}

export const chooseOption = (content, place) =>
  withListed(
    content,
    listed(content).map((option, at) => ({ ...option, right: at === place })),
  );

/** The texts of a pasted list, one a line, without their letters ("A. red", "(b) green"); null when it is one line. */
export function pastedLines(text) {
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
  return lines.length > 1 ? lines.map((line) => LINE.exec(line)?.[2].trim() ?? line) : null;
}

/** Write lines from a place on, over what stands there and beyond the end. */
export function pasteOptions(content, place, lines) {
  const list = listed(content);
  const pasted = lines.map((text, at) => ({ text, right: list[place + at]?.right ?? false }));
  return withListed(content, list.toSpliced(place, pasted.length, ...pasted).slice(0, MOST));
}

/** Ask in another way: the answer begins anew; options are kept while it is open, and a choice begins with two. */
export function askAs(content, answer_type) {
  if (content.answer_type === answer_type) return content;
  const bare = answer_type === "mc" && Object.keys(content.options).length === 0;
  return { ...content, answer_type, answer: [], options: bare ? { A: "", B: "" } : content.options };
}

/** The accepted strings of an open sample, one a line. */
export const acceptLines = (content, text) => ({ ...content, answer: text === "" ? [] : text.split("\n") });
