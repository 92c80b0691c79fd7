import { t } from "../lib/t.js";
import { readChain } from "./chain.js";

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isBox = (value) => Array.isArray(value) && value.length === 4 && value.every(Number.isFinite);
/** Calls whose box alone says what they do. */
const ZOOM = /^(opencv[_ -])?(image[_ -])?(zoom([_ -]in)?|crop([_ -]image([_ -]normalized)?)?)([_ -]tool)?$/i;

/**
 * The calls of a pasted text: a list of calls, a trajectory with its steps, or the calls of a chat message. A failed step of
 * a trajectory (ok: false) made no image and is left out. A zoom that says its box alone becomes a crop, or a zoom to the
 * size that is recorded; `size` is that of the original, for boxes in shares of an image.
 * @returns {{calls: object[]|null, problem: string}}
 */
export function readPasted(text, size = null) {
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { calls: null, problem: t("This is not JSON: %(message)s.", { message: error.message }) };
  }
  const steps = stepsOf(value);
  if (!Array.isArray(steps)) return { calls: null, problem: t("A toolchain is a list of calls, or a trajectory with steps.") };
  let calls;
  try {
    const sizes = new Map([["original", size]]);
    calls = steps.filter((step) => !isObject(step) || step.ok !== false).map((step, at) => plain(step, at, sizes));
  } catch (error) {
    return { calls: null, problem: t("The arguments of a call are not JSON: %(message)s.", { message: error.message }) };
  }
  if (!calls.length) return { calls: null, problem: t("It contains no successful call. Paste another toolchain.") };
  return readChain(JSON.stringify(Array.isArray(value) && value === steps ? calls : unnamed(calls)));
}

/** Recorded calls without the names that say nothing: of an image that only the next call takes. So they can be moved. */
function unnamed(calls) {
  let latest = "original";
  const read = calls.map((call) => {
    const { image_in, ...rest } = call;
    const next = image_in === latest ? rest : call;
    latest = call.image_out ?? "";
    return next;
  });
  const named = new Set(read.flatMap((call) => [call.image_in ?? [], ...Object.values(call.arguments ?? {}).filter((one) => typeof one === "string")].flat()));
  return read.map(({ image_out, ...rest }) => (named.has(image_out) ? { ...rest, image_out } : rest));
}

/** The chain that an address brings behind its #, as text; "" where it brings none. */
export const chainIn = (hash) => (hash.startsWith("#chain=") ? decodeURIComponent(hash.slice(7)) : "");

/** The list of calls in a trajectory, alone, in a list, or as the API wraps it. */
function stepsOf(value) {
  const one = Array.isArray(value) && value.length === 1 && isObject(value[0]) && value[0].steps ? value[0] : value;
  if (!isObject(one)) return one;
  const trajectory = isObject(one.trajectory) ? one.trajectory : one;
  return trajectory.steps ?? trajectory.reference_toolchain ?? trajectory.tool_calls ?? [trajectory];
}

function plain(step, at, sizes) {
  if (!isObject(step)) return step;
  if (isObject(step.function)) return { tool: step.function.name, arguments: unpacked(step.function.arguments) };
  const given = step.arguments ?? step.args ?? undefined;
  const latest = [...sizes.keys()].at(-1);
  const cut = ZOOM.test(step.tool) && given?.width === undefined ? cutOf(step, sizes.get([step.image_in ?? latest].flat()[0])) : null;
  const call = { tool: step.tool, arguments: given, image_in: step.image_in, image_out: step.image_out, ...cut };
  const [width, height] = step.out_size ?? [cut?.arguments.width, cut?.arguments.height];
  const name = step.image_out ?? `step_${at + 1}`;
  sizes.delete(name);
  sizes.set(name, width ? { width, height } : null);
  return Object.fromEntries(Object.entries(call).filter(([, said]) => said !== undefined && said !== null));
}

/** The call that cuts out the box of a recorded zoom, of an image of this size; null where it has none, or none that can be told. */
function cutOf({ bbox, executed_bbox, coords = "pixel", out_size }, size) {
  const box = [executed_bbox, bbox].find(isBox);
  const unit = { pixel: [1, 1], norm1: [size?.width, size?.height], norm1000: [size?.width / 1000, size?.height / 1000] }[coords];
  if (!box || !unit || Number.isNaN(unit[0] * unit[1])) return null;
  const [x1, y1, x2, y2] = box.map((side, at) => side * unit[at % 2]);
  const [x, y] = [Math.max(0, Math.floor(x1)), Math.max(0, Math.floor(y1))];
  const [right, bottom] = [Math.min(Math.round(x2), size?.width ?? Infinity), Math.min(Math.round(y2), size?.height ?? Infinity)];
  const place = { x, y, width: Math.max(1, right - x), height: Math.max(1, bottom - y) };
  if (!out_size) return { tool: "crop", arguments: place };
  return { tool: "zoom_in", arguments: { ...place, target_width: Math.round(out_size[0]), target_height: Math.round(out_size[1]) } };
}

/** The arguments of a chat message: JSON in a text, the parameters sometimes one level down. */
function unpacked(written) {
  const given = typeof written === "string" ? JSON.parse(written || "{}") : (written ?? {});
  const { image: _, param, ...rest } = given;
  return isObject(param) ? param : rest;
}
