/** The tool bank of a benchmark, as the server gives it: {tools: [{name, aliases, segment, state, reason}], segments: {code: title}}. */

import { t } from "../lib/t.js";

const MOST = 10;
const NO_SEGMENT = t("No segment");

/** A name as it is compared: case and spaces make no difference. */
const keyOf = (name) => name.trim().replace(/\s+/g, " ").toLowerCase();

export class ToolBank {
  #tools;
  #segments;
  #byKey = new Map();

  constructor({ tools = [], segments = {} } = {}) {
    this.#tools = tools;
    this.#segments = segments;
    for (const tool of tools) for (const name of [tool.name, ...tool.aliases]) this.#byKey.set(keyOf(name), tool);
  }

  /** The tool that a name means, or undefined. */
  find(name) {
    return this.#byKey.get(keyOf(name));
  }

  /** Whether two names mean one tool, be it in the bank or not. */
  isSame(name, other) {
    return keyOf(name) === keyOf(other) || (this.find(name) !== undefined && this.find(name) === this.find(other));
  }

  /** What stands beside a name in a plan: the segment, or why the lead has something to say. */
  wordsFor(name) {
    const tool = this.find(name);
    if (!tool) return t("new: proposed when you submit");
    if (tool.state === "refused") return t("rejected: %(reason)s", { reason: tool.reason });
    if (tool.state === "proposed") return t("proposed");
    if (keyOf(tool.name) !== keyOf(name)) return t("in the bank: %(name)s", { name: tool.name });
    return this.#segments[tool.segment] ?? "";
  }

  /** Whether a name can be used without anybody's further word. */
  settled(name) {
    return this.find(name)?.state === "accepted";
  }

  /**
   * Tools with the text in a name, by segment; in the order of the best of each group: what begins with the text first.
   * `also` is the other name that was found, if it was one. Refused tools are not offered.
   * @returns {{title: string, tools: {tool: object, also: string}[]}[]}
   */
  suggested(text, segment = "", most = MOST) {
    const sought = keyOf(text);
    if (!sought) return [];
    const found = this.#tools
      .filter((tool) => tool.state !== "refused" && (!segment || tool.segment === segment))
      .map((tool) => ({ tool, ...match(tool, sought) }))
      .filter(({ rank }) => rank < Infinity)
      .sort((a, b) => a.rank - b.rank || a.tool.name.localeCompare(b.tool.name));
    const groups = new Map();
    for (const { tool, also } of found.slice(0, most)) {
      const title = this.#segments[tool.segment] ?? NO_SEGMENT;
      groups.set(title, [...(groups.get(title) ?? []), { tool, also }]);
    }
    return [...groups].map(([title, tools]) => ({ title, tools }));
  }
}

/** How well a tool fits: the name itself, its beginning, the beginning of a word of it, a part; then the same of another name. */
function match({ name, aliases }, sought) {
  const own = rankOf(name, sought);
  const [best, also] = aliases.map((alias) => [rankOf(alias, sought), alias]).sort(([a], [b]) => a - b)[0] ?? [Infinity, ""];
  return own <= best ? { rank: own, also: "" } : { rank: best + 0.5, also };
}

function rankOf(name, sought) {
  const key = keyOf(name);
  if (key === sought) return 0;
  if (key.startsWith(sought)) return 1;
  if (key.includes(` ${sought}`)) return 2;
  return key.includes(sought) ? 3 : Infinity;
}
