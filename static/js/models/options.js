/** The options of a multiple-choice sample. Letters follow the order; the answer stays with its text. */

const FIRST = "A".charCodeAt(0);
const LINE = /^\s*[([]?([A-Za-z])[)\].:]\s+(.*)$/;
const BULLET = /^[-•*]\s+/;
/** Before or behind the letter of a line, and before the text of an option: this one is the answer. */
const STAR = /^\*\s*/;

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

/** Without empty options at the end; two stay. */
export function withoutLast(content) {
  const list = listed(content);
  const full = list.findLastIndex(({ text, right }) => text.trim() || right) + 1;
  const kept = Math.max(2, full);
  return content.answer_type === "mc" && kept < list.length ? withListed(content, list.slice(0, kept)) : content;
}

/** Without an empty option; two stay. */
export function withoutEmpty(content, place) {
  const list = listed(content);
  return list.length > 2 && !list[place].text ? removeOption(content, place) : content;
}

export const removeOption = (content, place) => withListed(content, listed(content).toSpliced(place, 1));

/** Write the text of an option. A star before it makes it the answer and is not kept; where it is, a star is text. */
export function writeOption(content, place, text) {
  const list = listed(content);
  const starred = STAR.test(text) && !list[place].right;
  const written = withListed(content, list.with(place, { ...list[place], text: starred ? text.replace(STAR, "") : text }));
  return starred ? chooseOption(written, place) : written;
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

/**
 * The options of a pasted list, one per line, as {text, right}: without their letters ("A. red", "(b) green") and bullets;
 * a star before one line makes it the answer. null when it is one line.
 */
export function pastedLines(text) {
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
  if (lines.length < 2) return null;
  const listed = lines.every((line) => BULLET.test(line)) ? lines.map((line) => line.replace(BULLET, "")) : lines;
  const starred = listed.map(lineOf);
  const one = starred.filter(({ right }) => right).length === 1;
  return one ? starred : listed.map((line) => ({ text: LINE.exec(line)?.[2].trim() ?? line, right: false }));
}

function lineOf(line) {
  const bare = line.replace(STAR, "");
  const text = LINE.exec(bare)?.[2].trim() ?? bare;
  return { text: text.replace(STAR, ""), right: STAR.test(line) || STAR.test(text) };
}

/** Write options from a place on, over what stands there and beyond the end; without an answer among them it stays. */
export function pasteOptions(content, place, lines) {
  const list = listed(content);
  const told = lines.some(({ right }) => right);
  const pasted = lines.map(({ text, right }, at) => ({ text, right: told ? right : (list[place + at]?.right ?? false) }));
  const kept = told ? list.map((option) => ({ ...option, right: false })) : list;
  return withListed(content, kept.toSpliced(place, pasted.length, ...pasted).slice(0, MOST));
}

const alike = (a, b) => a.trim().toLowerCase() === b.trim().toLowerCase();

/**
 * Ask in another way and keep the answer: the text of the right option becomes the accepted one, with what was accepted
 * beside it before (`accepted`), and the first accepted text becomes the right option. Options are kept while it is open.
 */
export function askAs(content, answer_type, accepted = []) {
  if (content.answer_type === answer_type) return content;
  return answer_type === "mc" ? asChoice(content) : asOpen(content, accepted);
}

function asOpen(content, accepted) {
  const right = listed(content).find((option) => option.right)?.text.trim() ?? "";
  const same = accepted.some((one) => alike(one, right)) || !right;
  return { ...content, answer_type: "open", answer: same ? accepted : [right] };
}

function asChoice(content) {
  const list = Object.keys(content.options).length ? listed(content) : [{ text: "" }, { text: "" }];
  const [answer = ""] = content.answer.filter((one) => one.trim());
  const named = answer ? list.findIndex(({ text }) => alike(text, answer)) : -1;
  const bare = list.map(({ text }, place) => ({ text, right: place === named }));
  const choice = { ...content, answer_type: "mc" };
  if (!answer || named >= 0) return withListed(choice, bare);
  const free = bare.findIndex(({ text }) => !text.trim());
  const option = { text: answer, right: true };
  return withListed(choice, free < 0 ? [...bare, option].slice(0, MOST) : bare.with(free, option));
}

/** The accepted strings of an open sample, one per line. */
export const acceptLines = (content, text) => ({ ...content, answer: text === "" ? [] : text.split("\n") });

/** The accepted answers in words: of a choice the text of its option. */
export const answersInWords = ({ answer_type: type, options, answer }) =>
  answer.map((one) => (type === "mc" ? (options[one] ?? one) : one).trim()).filter(Boolean);

/** What the end of a toolchain is compared with. */
export const answerOf = ({ answer_type, options, answer }) => ({ answer_type, options, answer });
