/** Texts of scripts in the language of the page: docs/architecture.md#translation. */

import { catalog } from "./catalog.js";

const SPLIT = "\u0004";
const LISTED = 200;

/** The text with its values in the places of `%(name)s`. */
const filled = (text, values) => text.replace(/%\((\w+)\)s/g, (place, name) => (name in values ? String(values[name]) : place));

/**
 * The functions for one catalog. `texts`: text -> translation, or its forms; `forms`: which form a count takes, a digit
 * each for 0 to 199, as rules depend on the last two digits of larger counts.
 */
export function translator({ texts = {}, forms = "" } = {}) {
  const found = (name) => (Object.hasOwn(texts, name) ? texts[name] : undefined);
  const formOf = (count) => Number(forms[count < LISTED ? count : 100 + (count % 100)] ?? 0);
  return {
    t: (text, values = {}) => filled([found(text) ?? text].flat()[0], values),
    tn: (one, many, count, values = {}) => filled(found(one)?.[formOf(count)] ?? (count === 1 ? one : many), { count, ...values }),
    tp: (context, text, values = {}) => filled([found(context + SPLIT + text) ?? text].flat()[0], values),
  };
}

const page = translator(catalog);

/**
 * `t("Saved %(time)s", { time })`; `tn("%(count)s box", "%(count)s boxes", count)`, whose count is a value too;
 * `tp("key", "open")`, for a word with two roles.
 */
export const t = page.t;
export const tn = page.tn;
export const tp = page.tp;

/** The parts of a text with elements in the place of a value: `around(t("Open %(turn)s"), "turn", link)`. */
export function around(text, name, ...elements) {
  const [before, after = ""] = text.split(`%(${name})s`);
  return [before, ...elements, after];
}

const joined = (pair, texts) => (texts.length ? texts.map(String).reduce((one, other) => filled(pair, { one, other })) : "");

/** The texts as one: "Crop and Zoom". */
export const allOf = (texts) => joined(t("%(one)s and %(other)s"), texts);

/** The texts as one: "3 or 4". */
export const anyOf = (texts) => joined(t("%(one)s or %(other)s"), texts);

/** Marks a text that is translated where it is shown. */
export const gettext_noop = (text) => text;
