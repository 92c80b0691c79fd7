/** A chain as it is edited: every function takes calls and gives new ones. Nothing here knows the page. */

const key = (name) => name.trim().toLowerCase().replace(/[\s\-._]+/g, "_").replace(/^opencv_/, "").replace(/_tool$/, "");

/** The tools as the server describes them, found by any of their names. */
export class Tools {
  #byKey = new Map();

  constructor(tools) {
    this.all = tools;
    for (const tool of tools) for (const name of [...tool.aliases, tool.title, tool.name]) this.#byKey.set(key(name), tool);
  }

  /** The tool of a written name, or null: "opencv_crop" and "Crop" are crop. */
  get(name) {
    return this.#byKey.get(key(name)) ?? null;
  }

  /** The tools that fit what is typed, best first: by name, by another name, by what one wants, by a value, by what they do, by words of several of these. */
  suggested(text, most = 8) {
    const wanted = plain(text);
    if (!wanted) return this.all.slice(0, most);
    const ranked = this.all.map((tool, at) => ({ tool, at, rank: rankOf(tool, wanted) })).filter(({ rank }) => rank >= 0);
    return ranked.sort((a, b) => a.rank - b.rank || a.at - b.at).slice(0, most).map((one) => one.tool);
  }
}

/** Small letters, one space between words, and one spelling of color and gray. */
const plain = (text) => text.toLowerCase().replace(/[\s\-._]+/g, " ").trim().replaceAll("colour", "color").replaceAll("grey", "gray");

/** Whether every word that is wanted begins a word of the text. */
const saysAll = (text, wanted) => wanted.split(" ").every((word) => ` ${text}`.includes(` ${word}`));

/** How well a tool fits, 0 best, -1 not at all. */
function rankOf(tool, wanted) {
  const [name, others, uses] = [plain(tool.name), [tool.title, ...tool.aliases].map(plain), (tool.uses ?? []).map(plain)];
  const values = tool.parameters.flatMap((one) => [one.name, ...one.choices]).map((one) => plain(String(one)));
  const ways = [
    name.startsWith(wanted), others.some((one) => one.startsWith(wanted)), uses.includes(wanted), uses.some((one) => one.startsWith(wanted)),
    uses.some((one) => saysAll(one, wanted)), [name, ...others].some((one) => one.includes(wanted)),
    values.some((one) => one.startsWith(wanted)), saysAll(plain(tool.summary), wanted), plain(tool.summary).includes(wanted),
    saysAll([name, ...others, ...uses, ...values, plain(tool.summary)].join(" "), wanted),
  ];
  return ways.indexOf(true);
}

/** A value that a required parameter begins with, on an image of this size. */
function beginning(parameter, { width, height }) {
  const place = { x: Math.floor(width / 4), y: Math.floor(height / 4), width: Math.max(1, Math.floor(width / 2)), height: Math.max(1, Math.floor(height / 2)) };
  const stroke = { x1: 0, y1: place.y, x2: Math.max(0, width - 1), y2: place.y, radius: Math.max(1, Math.floor(Math.min(width, height) / 4)), ksize: 5 };
  const known = { ...place, ...stroke, lower: [0, 0, 0], upper: [179, 255, 255], angle: 0 };
  if (parameter.name in known) return known[parameter.name];
  if (parameter.kind === "choice") return parameter.choices[0];
  return parameter.kind === "list" ? Array(parameter.length).fill(parameter.low) : parameter.low;
}

/** The value of one of the tool's choices that was typed to find it, "gaussian" for a blur; none where its name was. */
export function meant(tool, text) {
  const words = plain(text).split(" ").filter((word) => word.length > 2 && ![tool.name, tool.title, ...tool.aliases].some((name) => saysAll(plain(name), word)));
  for (const { name, choices } of tool.parameters) {
    const found = choices.find((choice) => words.some((word) => plain(String(choice)).startsWith(word)));
    if (found !== undefined) return { [name]: found };
  }
  return {};
}

/** A call of the tool that runs as it is, on an image of this size; `values` are arguments that it gets. */
export function newCall(tool, size, values = {}) {
  const given = tool.parameters.filter(({ required }) => required).map((one) => [one.name, beginning(one, size)]);
  const more = { zoom_in: { scale: 2 }, resize: { preset: "double" }, inrange_color: { output_format: "mask" }, crop: { x: 0, y: 0 } }[tool.name] ?? {};
  const place = tool.name === "crop" || tool.name === "zoom_in" ? { x: Math.floor(size.width / 4), y: Math.floor(size.height / 4) } : {};
  return { tool: tool.name, arguments: { ...Object.fromEntries(given), ...more, ...place, ...values }, image_in: null, image_out: null };
}

const without = (calls, at) => calls.filter((_, index) => index !== at);
const nameOf = (call, index) => call.image_out ?? `step_${index + 1}`;

/** The calls with each name of an image that they take put as `names` says. */
function renamed(calls, names) {
  const read = (name) => names.get(name) ?? name;
  return calls.map((call) => (call.image_in === null || call.image_in === undefined ? call : { ...call, image_in: Array.isArray(call.image_in) ? call.image_in.map(read) : read(call.image_in) }));
}

/** The names of images that are only places in the chain, before and after a change of the order. */
const placeNames = (before, after) => new Map(before.map((call, at) => [nameOf(call, at), nameOf(call, after.indexOf(call))]));

export function added(calls, call, at = calls.length) {
  const after = [...calls.slice(0, at), call, ...calls.slice(at)];
  return renamed(after, placeNames(calls, after));
}

/** Without the call at `at`: what took its image takes the one that it worked on. */
export function removed(calls, at) {
  const after = without(calls, at);
  const names = placeNames(calls, after);
  const input = [calls[at].image_in ?? (at ? nameOf(calls[at - 1], at - 1) : "original")].flat()[0];
  return renamed(after, names.set(nameOf(calls[at], at), names.get(input) ?? input));
}

/** The call at `from` put where `to` is; the others keep their order, and the images that they take. */
export function moved(calls, from, to) {
  if (to < 0 || to >= calls.length || from === to) return calls;
  const rest = without(calls, from);
  const after = [...rest.slice(0, to), calls[from], ...rest.slice(to)];
  return renamed(after, placeNames(calls, after));
}

const changed = (calls, at, change) => calls.map((call, index) => (index === at ? { ...call, ...change } : call));

/** One argument set, or taken away where the value is undefined. */
export function withArguments(calls, at, values) {
  const given = Object.entries({ ...calls[at].arguments, ...values }).filter(([, value]) => value !== undefined);
  return changed(calls, at, { arguments: Object.fromEntries(given) });
}

/** Where a call takes its image from: an id, several, or null for the latest. */
export const withInput = (calls, at, image_in) => changed(calls, at, { image_in });

/** A text of a field as a value; what is no number stays the text, and the tool says what it wants. Empty: undefined. */
export function valueOf(parameter, text) {
  const said = text.trim();
  if (!said) return undefined;
  if (parameter.kind === "choice") return parameter.choices.find((choice) => String(choice) === said) ?? said;
  if (parameter.kind === "boolean") return said === "true" ? true : said === "false" ? false : said;
  if (parameter.kind === "list") return said.replace(/[[\]]/g, " ").split(/[\s,]+/).filter(Boolean).map(numberOr);
  return numberOr(said);
}

const numberOr = (text) => (Number.isFinite(Number(text)) ? Number(text) : text);

/** A value as its field shows it. */
export const textOf = (value) => (value === undefined || value === null ? "" : Array.isArray(value) ? value.join(" ") : String(value));

/** The names of images that a call may take: the original and what earlier steps make. */
export const picturesBefore = (calls, at) => ["original", ...calls.slice(0, at).map(nameOf)];

/** The argument as the call has it, written in either spelling (minLineLength, min_line_length). */
export function argumentOf(call, name) {
  const written = Object.keys(call.arguments).find((one) => one.replace(/(?<=[a-z0-9])([A-Z])/g, "_$1").toLowerCase() === name);
  return written === undefined ? undefined : call.arguments[written];
}
