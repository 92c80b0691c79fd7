import { readChain } from "./chain.js";

const KEYS = ["tool", "arguments", "image_in", "image_out"];
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/**
 * The calls of a pasted text: a list of calls, a trajectory with its steps, or the calls of a chat message. A failed step of
 * a trajectory (ok: false) made no picture and is left out.
 * @returns {{calls: object[]|null, problem: string}}
 */
export function readPasted(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { calls: null, problem: `This is not JSON: ${error.message}.` };
  }
  const steps = isObject(value) ? (value.steps ?? value.reference_toolchain ?? value.tool_calls ?? [value]) : value;
  if (!Array.isArray(steps)) return { calls: null, problem: "A chain is a list of calls, or a trajectory with steps." };
  let calls;
  try {
    calls = steps.filter((step) => !isObject(step) || step.ok !== false).map(plain);
  } catch (error) {
    return { calls: null, problem: `The arguments of a call are not JSON: ${error.message}.` };
  }
  if (!calls.length) return { calls: null, problem: "There is no call in it that worked." };
  return readChain(JSON.stringify(calls));
}

function plain(step) {
  if (!isObject(step)) return step;
  if (isObject(step.function)) return { tool: step.function.name, arguments: unpacked(step.function.arguments) };
  return Object.fromEntries(KEYS.filter((key) => step[key] !== undefined && step[key] !== null).map((key) => [key, step[key]]));
}

/** The arguments of a chat message: JSON in a text, the parameters sometimes one level down. */
function unpacked(written) {
  const given = typeof written === "string" ? JSON.parse(written || "{}") : (written ?? {});
  const { image: _, param, ...rest } = given;
  return isObject(param) ? param : rest;
}
