import { askAs } from "./options.js";

/** Values of one facet that are offered, as many as the server counts. */
const MOST = 200;

/**
 * How a person asked last in a benchmark, and the facets they used, kept in the browser: the next sample begins like that
 * and offers those, also while none of them is gold yet.
 */
export class LastAsked {
  #storage;
  #name;
  /** As it was when this sample was opened. */
  #before;

  /** @param {Storage} storage  @param {string} place the benchmark, and whose it is */
  constructor(storage, place) {
    this.#storage = storage;
    this.#name = `sightline asked ${place}`;
    this.#before = this.#read();
  }

  keep({ answer_type: type, facets }) {
    const now = JSON.stringify({ type, facets: joined(this.#before.facets, facets) });
    try {
      if (this.#storage.getItem(this.#name) !== now) this.#storage.setItem(this.#name, now);
    } catch {
      // Without a storage every sample begins as an open question.
    }
  }

  /** Content to begin with: one that says nothing yet is asked as the last one was, if that is one of these types. */
  begun(content, types) {
    if (content.question || content.answer.length || content.gold_boxes.length || Object.keys(content.options).length) return content;
    const type = types.includes(this.#before.type) ? this.#before.type : content.answer_type;
    return type === "open" && content.answer_type === type ? content : askAs({ ...content, answer_type: "open" }, type);
  }

  /** The benchmark's facets with those of this person behind them. */
  known(facets) {
    return joined(facets, this.#before.facets);
  }

  #read() {
    try {
      return { facets: {}, ...JSON.parse(this.#storage.getItem(this.#name)) };
    } catch {
      return { facets: {} };
    }
  }
}

/** Values by facet of two sides, each value once, the first side's before the other's. */
function joined(first, second) {
  const names = [...new Set([...Object.keys(first), ...Object.keys(second)])];
  const values = (name) => new Set([...(first[name] ?? []), ...(second[name] ?? [])].map(String));
  return Object.fromEntries(names.map((name) => [name, [...values(name)].slice(0, MOST)]));
}
