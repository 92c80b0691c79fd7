import { moment } from "../lib/moments.js";
import { t } from "../lib/t.js";
import { markWords, markedWords } from "../models/chain-end.js";
import { same } from "../models/draft.js";
import { answerOf } from "../models/options.js";
import { ChainEnd } from "./chain-end.js";
import { copied, keepRows } from "./rows.js";

const day = (at) => moment(new Date(at), "day");

/** The accepted chains of the sample, and the marks about their ends. */
export class WorkbenchChains {
  #root;
  #chains;
  #marks = [];
  #urls;
  #image;
  #on;
  #end;

  constructor(root, { chains, urls, mark, content, picture }, on) {
    [this.#root, this.#chains, this.#urls, this.#image, this.#on] = [root, chains, urls, picture?.sha, on];
    for (const { calls, mark: one } of chains) if (one) this.#marks.push({ calls, ...one });
    if (mark) this.#marks.push({ calls: content.reference_toolchain, of: answerOf(content), ...mark });
    this.#end = new ChainEnd(root);
    root.part("chains").addEventListener("click", ({ target }) => this.#act(target));
    root.querySelector("[data-act=verify]")?.addEventListener("click", () => this.#verify());
    root.querySelector("[data-act=accept]")?.addEventListener("click", () => this.#accept());
  }

  /** `end`: the last step of these calls beside the answer, null before it is known. */
  show(calls, end = null) {
    const list = this.#root.part("chains");
    this.#root.part("chains-section").hidden = !this.#chains.length;
    this.#root.part("chains-n").textContent = String(this.#chains.length);
    keepRows(list, this.#chains.length, () => copied("row-bench-chain"));
    for (const [at, chain] of this.#chains.entries()) this.#row(list.children[at], chain, calls);
    const mark = this.#marks.findLast((one) => same(one.calls, calls) && this.#isOf(one));
    this.#root.part("mark").textContent = mark ? markWords(mark, day(mark.at)) : calls.length ? t("Not verified.") : "";
    const verify = this.#root.querySelector("[data-act=verify]");
    const asks = Boolean(verify && calls.length && !mark?.shows);
    if (verify) verify.disabled = !asks;
    this.#end.show(end, this.#on.answers(), asks);
    const accept = this.#root.querySelector("[data-act=accept]");
    if (accept) accept.disabled = !calls.length || this.#chains.some((one) => same(one.calls, calls));
  }

  /** Marks of accepted toolchains are about the gold's answer. */
  #isOf({ of, answer }) {
    return of ? same(of, this.#on.answer()) : same(answer, this.#on.answers());
  }

  #row(row, chain, calls) {
    const part = (name) => row.querySelector(`[data-part="${name}"]`);
    part("whose").textContent = chain.gold ? t("Gold") : t("By %(name)s", { name: chain.by });
    part("tools").textContent = chain.calls.map(({ tool }) => tool).join(" → ");
    const mark = this.#marks.findLast((one) => same(one.calls, chain.calls));
    part("about").textContent = [chain.note, mark ? markedWords(mark, day(mark.at)) : t("not verified")].filter(Boolean).join(" · ");
    row.querySelector("[data-act=take]").disabled = same(chain.calls, calls);
    row.querySelector("[data-act=remove-chain]").hidden = !chain.remove || !this.#root.querySelector("[data-act=accept]");
  }

  async #act(target) {
    const at = [...this.#root.part("chains").children].findIndex((row) => row.contains(target));
    const act = target.closest("[data-act]")?.dataset.act;
    if (act === "take") this.#on.take(this.#chains[at].calls);
    else if (act === "remove-chain") this.#further(await this.#on.send(this.#chains[at].remove, {}));
  }

  async #verify() {
    const [calls, of] = [this.#on.calls(), this.#on.answer()];
    const mark = await this.#on.send(this.#urls.verify, { calls, ...of, reason: this.#end.reason, image: this.#image });
    if (mark) this.#marks.push({ calls, of, ...mark });
    this.#on.again();
  }

  async #accept() {
    const note = this.#root.part("note");
    this.#further(await this.#on.send(this.#urls.accept, { calls: this.#on.calls(), note: note.value, image: this.#image }));
    note.value = "";
  }

  /** The further chains as the server has them now; the gold's stays first. */
  #further(answer) {
    if (answer) this.#chains = [...this.#chains.filter(({ gold }) => gold), ...answer.chains];
    this.#on.again();
  }
}
