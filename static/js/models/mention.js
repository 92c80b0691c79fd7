const LONGEST = 60;
const MOST = 8;

/**
 * What is looked for at the caret: the text after the last @ before it, which begins a word. Null where there is none.
 * @param {string} text
 * @param {number} caret
 */
export function soughtAt(text, caret) {
  const before = text.slice(Math.max(0, caret - LONGEST), caret);
  const found = /(?:^|[^\p{L}\p{N}_.@-])@([^@\n]*)$/u.exec(before);
  return found ? { start: caret - found[1].length - 1, sought: found[1] } : null;
}

/**
 * The names that fit: a word of the name begins with what is looked for. Nothing fits once a name is complete.
 * @param {string[]} names
 * @param {string} sought
 */
export function fitting(names, sought) {
  const wanted = sought.toLocaleLowerCase();
  if (names.some((name) => wanted.startsWith(`${name.toLocaleLowerCase()} `))) return [];
  const fits = (name) => {
    const whole = name.toLocaleLowerCase();
    return whole.startsWith(wanted) || whole.split(/\s+/).some((word) => wanted && word.startsWith(wanted));
  };
  return names.filter(fits).slice(0, MOST);
}

/**
 * The text with a name in place of what was looked for, and where the caret is then.
 * @param {string} text
 * @param {{start: number, sought: string}} at
 * @param {string} name
 */
export function withName(text, { start, sought }, name) {
  const head = `${text.slice(0, start)}@${name} `;
  const tail = text.slice(start + 1 + sought.length).replace(/^ /, "");
  return { text: head + tail, caret: head.length };
}
