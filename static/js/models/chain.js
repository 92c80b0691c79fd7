/** The reference toolchain as text that a person edits: JSON, a call an object of tool, arguments, image_in, image_out. */

import { allOf, t } from "../lib/t.js";

const KEYS = ["tool", "arguments", "image_in", "image_out"];
/** The model whose draft a call was adopted from; a call of a person has none. */
const SOURCE = "source";
const MOST = 100;

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isName = (value) => typeof value === "string" && value !== "";

/** What is wrong with one call, or "". */
function problemOf(call, at) {
  const number = at + 1;
  if (!isObject(call)) return t("Call %(number)s must be an object like %(example)s.", { number, example: '{"tool": "Crop", "arguments": {}}' });
  const unknown = Object.keys(call).find((key) => ![...KEYS, SOURCE].includes(key));
  if (unknown !== undefined) return t("Call %(number)s has the unknown key “%(key)s”. Allowed: %(allowed)s.", { number, key: unknown, allowed: KEYS.join(", ") });
  if (!isName(call.tool)) return t("Call %(number)s has no tool name.", { number });
  if (call.arguments !== undefined && !isObject(call.arguments)) return t("Call %(number)s needs an object as arguments.", { number });
  const given = Array.isArray(call.image_in) ? call.image_in : [call.image_in ?? "latest"];
  if (!given.length || !given.every(isName)) return t("Call %(number)s needs a name or a list of names as image_in.", { number });
  if ((call.image_out ?? null) !== null && !isName(call.image_out)) return t("Call %(number)s needs a name as image_out.", { number });
  if (call.source !== undefined && typeof call.source !== "string") return t("Call %(number)s needs a text as source.", { number });
  return call.image_out === "original" ? t("Call %(number)s can't name its result original; this name is reserved for the image.", { number }) : "";
}

const whole = ({ tool, arguments: given = {}, image_in = null, image_out = null, source }) => ({ tool, arguments: given, image_in, image_out, ...(source ? { source } : {}) });

/**
 * The calls that a text says, or what is wrong with it.
 * @returns {{calls: object[]|null, problem: string}}
 */
export function readChain(text) {
  if (!text.trim()) return { calls: [], problem: "" };
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { calls: null, problem: t("Invalid JSON: %(message)s.", { message: error.message }) };
  }
  if (!Array.isArray(value)) return { calls: null, problem: t("A toolchain must be a list of calls: [ … ].") };
  if (value.length > MOST) return { calls: null, problem: t("The toolchain has %(count)s calls (limit: %(most)s).", { count: value.length, most: MOST }) };
  const problem = value.map(problemOf).find(Boolean);
  if (problem) return { calls: null, problem };
  return { calls: value.map(whole), problem: "" };
}

/** Calls as text, a line for each; what a call does not say is left out. */
export function writtenChain(calls) {
  if (!calls.length) return "";
  const lines = calls.map((call) => {
    const said = Object.entries(call).filter(([, value]) => value !== null && !(isObject(value) && !Object.keys(value).length));
    return `  ${JSON.stringify(Object.fromEntries(said))}`;
  });
  return `[\n${lines.join(",\n")}\n]`;
}

/** One call as a person reads it: its arguments in words, and from which image to which. */
export function callWords({ arguments: given, image_in, image_out }) {
  const from = allOf([image_in ?? t("latest image")].flat());
  return {
    given: Object.entries(given).map(([name, value]) => `${name} = ${typeof value === "string" ? value : JSON.stringify(value)}`),
    way: `${from} → ${image_out ?? t("new image")}`,
  };
}

/** A toolchain in one line: its tools with their arguments. */
export const chainWords = (calls) => calls.map((call) => `${call.tool}(${callWords(call).given.join(", ")})`).join(" → ");
