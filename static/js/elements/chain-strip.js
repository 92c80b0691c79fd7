import { moment } from "../lib/moments.js";
import { newKey, sendJson } from "../lib/request.js";
import { t } from "../lib/t.js";
import { markWords } from "../models/chain-end.js";
import { answerOf, answersInWords } from "../models/options.js";
import { ChainEnd } from "./chain-end.js";
import { Results } from "./measured.js";
import { token } from "./review-send.js";
import { copied } from "./rows.js";
import { WorkbenchRuns } from "./workbench-runs.js";

const SIDE = 640;

/**
 * The reference toolchain under review, run on the image: <sightline-chain-strip> shows the image after every step, the
 * one that is chosen larger, what it measured, and who verified that its last step shows the answer. What is run is in
 * #review.
 */
export class SightlineChainStrip extends HTMLElement {
  #chain;
  #image;
  #calls;
  #answers;
  #answer;
  #end;
  #mark = null;
  #results;
  #runs;
  #known = new Map();
  #asked = 0;

  connectedCallback() {
    const { content, chain, image } = JSON.parse(document.getElementById("review").textContent);
    [this.#chain, this.#image, this.#calls, this.#answers] = [chain, image?.sha, content.reference_toolchain, answersInWords(content)];
    this.#answer = answerOf(content);
    this.#end = new ChainEnd(this);
    this.#runs = new WorkbenchRuns(chain.run);
    this.#results = new Results(this.#part("measured"));
    this.#part("frames").addEventListener("click", ({ target }) => {
      const at = [...this.#part("frames").children].indexOf(target.closest(".bframe"));
      if (at >= 0) this.#run(at);
    });
    this.#part("verify").addEventListener("click", () => this.#verify());
    this.#showMark(chain.mark);
    this.#run(this.#calls.length);
  }

  #part(name) {
    return this.querySelector(`[data-part="${name}"]`);
  }

  async #run(focus) {
    const asked = (this.#asked += 1);
    const body = { calls: this.#calls, focus, side: SIDE, full: true, ...this.#answer, known: [...this.#known.keys()] };
    const answer = await this.#runs.ask(body, () => asked !== this.#asked).catch(() => null);
    if (asked !== this.#asked) return;
    if (answer?.status !== 200) return this.#say(answer?.data.error?.message ?? t("No response from the server. Reload the page."));
    this.#say(answer.data.error?.message ?? "");
    this.#show(answer.data);
  }

  #show({ original, steps, view, error, end }) {
    this.#end.show(end, this.#answers, !this.#mark?.shows);
    this.#part("ask").hidden = this.#mark?.verifies || !end?.image || end.agrees !== null;
    for (const step of [original, ...steps]) if (step.thumbnail) this.#known.set(step.key, step.thumbnail);
    this.#part("frames").replaceChildren(...[original, ...steps].map((step) => this.#frame(step, view.number)));
    const image = this.#part("picture");
    image.hidden = !view.after;
    if (view.after) [image.src, image.alt] = [view.after.address, t("After step %(number)s", { number: view.number })];
    this.#results.show(steps[view.number - 1]);
    this.#part("verify").disabled = error !== null;
  }

  #frame(step, focus) {
    const frame = copied("row-strip-frame");
    frame.querySelector("img").src = this.#known.get(step.key) ?? "";
    frame.querySelector(".clip").textContent = `${step.number} ${step.tool || t("original")}`;
    frame.setAttribute("aria-pressed", String(step.number === focus));
    return frame;
  }

  async #verify() {
    const answer = await sendJson("POST", this.#chain.verify, { calls: this.#calls, ...this.#answer, reason: this.#end.reason, image: this.#image }, { token: token(), key: newKey() }).catch(() => null);
    this.#say(answer?.status === 200 ? "" : (answer?.data.error?.message ?? t("No response from the server. Try again.")));
    if (answer?.status === 200) this.#showMark(answer.data);
    else if (answer?.data.error?.code === "measured_otherwise") this.#end.ask();
  }

  #showMark(mark) {
    this.#mark = mark;
    this.#part("verify").hidden = mark?.shows ?? false;
    this.#part("end-reason").closest(".field").hidden ||= mark?.shows ?? false;
    this.#part("mark").textContent = mark ? markWords(mark, moment(new Date(mark.at), "day")) : t("Not verified.");
  }

  #say(problem) {
    this.#part("problem").hidden = !problem;
    this.#part("problem").querySelector("span").textContent = problem;
    this.#part("wait").hidden = true;
  }
}
