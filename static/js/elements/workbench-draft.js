import { t } from "../lib/t.js";
import { chainWords } from "../models/chain.js";
import { draftedCalls, holds } from "../models/drafts.js";

/** The toolchain that a model drafted, beside the steps: accepting puts its calls there, each with its source. */
export class WorkbenchDraft {
  #root;
  #draft;
  #dismissed;

  /** @param {{content: object[], source: string}|null} draft  @param {Dismissed} dismissed */
  constructor(root, draft, dismissed, take) {
    this.#root = root.part("drafted");
    this.#draft = draft;
    this.#dismissed = dismissed;
    if (!draft) return;
    this.#part("draft-text").textContent = chainWords(draft.content);
    this.#part("draft-source").textContent = t("Draft by %(source)s", { source: draft.source });
    this.#root.querySelector("[data-act=accept-draft]").addEventListener("click", () => take(draftedCalls(draft)));
    this.#root.querySelector("[data-act=dismiss-draft]").addEventListener("click", () => this.#dismiss());
  }

  show(calls) {
    if (!this.#draft) return;
    const taken = holds({ field: "toolchain", ...this.#draft }, { reference_toolchain: calls });
    this.#root.hidden = taken || this.#dismissed.fields.includes("toolchain");
  }

  #dismiss() {
    this.#dismissed.add("toolchain");
    this.#root.hidden = true;
  }

  #part(name) {
    return this.#root.querySelector(`[data-part="${name}"]`);
  }
}
