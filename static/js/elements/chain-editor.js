import { t } from "../lib/t.js";
import { same } from "../models/draft.js";
import { callWords, readChain, writtenChain } from "../models/chain.js";
import { copied, keepRows } from "./rows.js";

/** The reference toolchain: its calls as cards to read, and as JSON to write. What is no toolchain yet changes nothing. */
export class ChainEditor {
  #root;
  #field;

  constructor(root, edit) {
    this.#root = root;
    this.#field = root.querySelector("textarea");
    this.#field.addEventListener("input", () => {
      const { calls, problem } = readChain(this.#field.value);
      this.#complain(problem);
      if (calls) edit((content) => ({ ...content, reference_toolchain: calls }), "chain");
    });
  }

  show({ reference_toolchain: calls }) {
    const typed = readChain(this.#field.value);
    // What is being typed stays as it is typed, also while it says nothing yet.
    const typing = typed.problem && document.activeElement === this.#field;
    if (!typing && (typed.problem || !same(typed.calls, calls))) {
      this.#field.value = writtenChain(calls);
      this.#complain("");
    }
    const list = this.#root.querySelector("ol");
    keepRows(list, calls.length, () => copied("row-call"));
    for (const [at, call] of calls.entries()) this.#card(list.children[at], call);
    this.#root.querySelector("[data-part=no-calls]").hidden = calls.length > 0;
  }

  #card(card, call) {
    const { given, way } = callWords(call);
    card.querySelector("b").textContent = call.tool;
    card.querySelector("[data-part=way]").textContent = way;
    card.querySelector("[data-part=given]").textContent = given.join("\n");
    card.querySelector("[data-part=source]").textContent = call.source ? t("Draft by %(source)s", { source: call.source }) : "";
  }

  #complain(problem) {
    const note = this.#root.querySelector("[data-part=chain-problem]");
    note.hidden = !problem;
    note.querySelector("[data-text]").textContent = problem;
    this.#field.setAttribute("aria-invalid", String(problem !== ""));
  }
}
