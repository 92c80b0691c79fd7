/** What differs between two texts, word by word. */

const WORDS = new Intl.Segmenter("en", { granularity: "word" });

/** Cells of the comparison table; two longer texts are shown as one whole change. */
const MOST_CELLS = 1_000_000;

const split = (text) => [...WORDS.segment(text)].map(({ segment }) => segment);

function beginning(a, b) {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

/** Lengths of the longest common sequence of what follows: table[i][j] for a from i and b from j. */
function lengths(a, b) {
  const table = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    }
  }
  return table;
}

function steps(a, b) {
  const whole = [...a.map((text) => ({ kind: "cut", text })), ...b.map((text) => ({ kind: "added", text }))];
  if (!a.length || !b.length || a.length * b.length > MOST_CELLS) return whole;
  const table = lengths(a, b);
  const found = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      found.push({ kind: "same", text: a[i] });
      i += 1;
      j += 1;
    } else if (table[i + 1][j] >= table[i][j + 1]) found.push({ kind: "cut", text: a[i++] });
    else found.push({ kind: "added", text: b[j++] });
  }
  for (; i < a.length; i += 1) found.push({ kind: "cut", text: a[i] });
  for (; j < b.length; j += 1) found.push({ kind: "added", text: b[j] });
  return found;
}

/** Runs of one kind; a space alone between two changes belongs to both, and what is cut stands before what is added. */
function joined(found) {
  const runs = [];
  let cut = "";
  let added = "";
  const flush = () => {
    if (cut) runs.push({ kind: "cut", text: cut });
    if (added) runs.push({ kind: "added", text: added });
    cut = added = "";
  };
  found.forEach(({ kind, text }, place) => {
    const inside = (cut || added) && !text.trim() && found[place + 1] && found[place + 1].kind !== "same";
    if (kind === "cut" || (kind === "same" && inside)) cut += text;
    if (kind === "added" || (kind === "same" && inside)) added += text;
    if (kind !== "same" || inside) return;
    flush();
    if (runs.at(-1)?.kind === "same") runs.at(-1).text += text;
    else runs.push({ kind, text });
  });
  flush();
  return runs;
}

/**
 * The words of two texts as runs in reading order.
 * @returns {{kind: "same"|"cut"|"added", text: string}[]} without the added runs it is `before`, without the cut ones `after`
 */
export function differenceOf(before, after) {
  const a = split(before);
  const b = split(after);
  const start = beginning(a, b);
  const end = beginning(a.slice(start).reverse(), b.slice(start).reverse());
  const same = (words) => words.map((text) => ({ kind: "same", text }));
  return joined([
    ...same(a.slice(0, start)),
    ...steps(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(a.slice(a.length - end)),
  ]);
}
