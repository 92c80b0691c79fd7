/** The reference toolchain as text that a person edits: JSON, a call an object of tool, arguments, image_in, image_out. */

const KEYS = ["tool", "arguments", "image_in", "image_out"];
const MOST = 100;

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isName = (value) => typeof value === "string" && value !== "";

/** What is wrong with one call, or "". */
function problemOf(call) {
  if (!isObject(call)) return "must be an object like {\"tool\": \"Crop\", \"arguments\": {}}";
  const unknown = Object.keys(call).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) return `has the unknown key “${unknown}”. Allowed: ${KEYS.join(", ")}`;
  if (!isName(call.tool)) return "has no tool name";
  if (call.arguments !== undefined && !isObject(call.arguments)) return "needs an object as arguments";
  const given = Array.isArray(call.image_in) ? call.image_in : [call.image_in ?? "latest"];
  if (!given.length || !given.every(isName)) return "needs a name or a list of names as image_in";
  if ((call.image_out ?? null) !== null && !isName(call.image_out)) return "needs a name as image_out";
  return call.image_out === "original" ? "can't name its result original; this name is reserved for the image" : "";
}

const whole = ({ tool, arguments: given = {}, image_in = null, image_out = null }) => ({ tool, arguments: given, image_in, image_out });

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
    return { calls: null, problem: `Invalid JSON: ${error.message}.` };
  }
  if (!Array.isArray(value)) return { calls: null, problem: "A toolchain must be a list of calls: [ … ]." };
  if (value.length > MOST) return { calls: null, problem: `The toolchain has ${value.length} calls (limit: ${MOST}).` };
  const at = value.findIndex((call) => problemOf(call));
  if (at >= 0) return { calls: null, problem: `Call ${at + 1} ${problemOf(value[at])}.` };
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
  const from = [image_in ?? "latest image"].flat().join(" and ");
  return {
    given: Object.entries(given).map(([name, value]) => `${name} = ${typeof value === "string" ? value : JSON.stringify(value)}`),
    way: `${from} → ${image_out ?? "new image"}`,
  };
}
