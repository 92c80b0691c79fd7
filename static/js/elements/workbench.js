import { newKey, sendJson } from "../lib/request.js";
import { t } from "../lib/t.js";
import { Dismissed } from "../models/dismissed.js";
import { completed, same } from "../models/draft.js";
import { answerOf, answersInWords } from "../models/options.js";
import { History } from "../models/history.js";
import { chainIn, readPasted } from "../models/parse-toolchain.js";
import { added, moved, newCall, removed, Tools, withArguments, withInput } from "../models/workbench.js";
import { beginDraft } from "./draft-work.js";
import { token } from "./review-send.js";
import { ConflictView } from "./studio-conflict.js";
import { SavingStatus } from "./studio-status.js";
import { WorkbenchAdder } from "./workbench-adder.js";
import { WorkbenchChains } from "./workbench-chains.js";
import { WorkbenchDraft } from "./workbench-draft.js";
import { WorkbenchResults } from "./workbench-results.js";
import { WorkbenchRuns, waitingWords } from "./workbench-runs.js";
import { WorkbenchStage } from "./workbench-stage.js";
import { WorkbenchSteps } from "./workbench-steps.js";

const PAUSE = 120;

/**
 * The toolchain workbench: <sightline-workbench data-person="…"> with the sample as JSON in #workbench. One history holds
 * every change of the chain; each change is run at the resolution of the screen, then in full. The chain of a draft is saved
 * with it, as in the studio.
 */
export class SightlineWorkbench extends HTMLElement {
  #data;
  #tools;
  #history;
  #focus = 0;
  #shown = null;
  /** The calls that `shown` is of. */
  #ran = null;
  #thumbnails = new Map();
  #asked = 0;
  #timer = 0;
  /** How the draft is saved; null where the chain is not this person's to change. */
  #saving = null;
  #status = null;
  #conflict = null;
  #runs;
  #parts;

  connectedCallback() {
    this.#data = JSON.parse(document.getElementById("workbench").textContent);
    this.#tools = new Tools(this.#data.tools);
    this.#history = new History(this.#data.content.reference_toolchain);
    const left = this.#data.editable ? this.#beginSaving() : null;
    this.#focus = this.#calls.length;
    this.#runs = new WorkbenchRuns(this.#data.urls.run);
    const edit = (change, kind = "") => this.#edit(change, kind);
    this.#parts = {
      steps: new WorkbenchSteps(this.part("steps"), this.#tools, {
        set: (at, values) => edit((calls) => withArguments(calls, at, values), `${at} ${Object.keys(values)}`),
        input: (at, image) => edit((calls) => withInput(calls, at, image)),
        move: (from, to) => this.#move(from, to),
        remove: (at) => edit((calls) => removed(calls, at)),
        focus: (number) => this.#look(number),
      }),
      stage: new WorkbenchStage(this, (values) => edit((calls) => withArguments(calls, this.#focus - 1, values))),
      results: new WorkbenchResults(this, (number) => this.#look(number)),
      chains: new WorkbenchChains(this, this.#data, {
        take: (calls) => edit(() => calls),
        send: (url, body) => this.#send(url, body),
        calls: () => this.#calls,
        answer: () => answerOf(this.#data.content),
        answers: () => answersInWords(this.#data.content),
        again: () => this.#show(),
      }),
    };
    const dismissed = new Dismissed(sessionStorage, `${this.#data.urls.draft} of ${this.dataset.person}`);
    this.#parts.draft = new WorkbenchDraft(this, this.#data.draft, dismissed, (calls) => this.#replace(calls));
    new WorkbenchAdder(this, this.#tools, (tool, values) => this.#add(tool, values));
    this.#history.addEventListener("change", () => this.#changed());
    this.addEventListener("click", (event) => this.#act(event));
    document.addEventListener("keydown", (event) => this.isConnected && this.#key(event));
    document.getElementById("paste").addEventListener("click", ({ target }) => target.closest("[data-act=paste]") && this.#paste());
    this.part("template").addEventListener("change", ({ target }) => this.#begin(target));
    this.#changed();
    this.#history.addEventListener("change", () => this.#saving?.change(this.#content));
    if (left) this.#goOnWith(left);
    if (left) this.#saving.change(this.#content);
    delete this.dataset.waits;
    const brought = chainIn(location.hash);
    if (brought) this.#paste(brought);
  }

  part(name) {
    return this.querySelector(`[data-part="${name}"]`);
  }

  /** Returns what an earlier visit could not save, or null. */
  #beginSaving() {
    const { urls, version, content, image, same_pixels: pixels } = this.#data;
    this.#data.content = completed(content);
    const send = (body, key) => sendJson("PUT", urls.draft, { ...body, image: image?.sha }, { token: token(), key });
    const { saving, left } = beginDraft({ url: urls.draft, person: this.dataset.person, version, content: this.#data.content, image: image?.sha, pixels, send });
    this.#saving = saving;
    this.#status = new SavingStatus(document.getElementById("saving"), this.part("bar"));
    this.#conflict = new ConflictView(document.getElementById("conflict"), null, (mix, theirs) => this.#settle(mix, theirs));
    saving.addEventListener("change", () => this.#saved());
    for (const name of ["online", "pagehide"]) window.addEventListener(name, () => saving.flush());
    this.part("bar").querySelector("[data-act=retry]").addEventListener("click", () => saving.flush());
    this.#status.show(saving.state, "", new Date(0));
    return left;
  }

  #saved() {
    const { state, message, base, theirs } = this.#saving;
    if (state === "conflict") this.#conflict.open(base, this.#content, theirs);
    this.#status.show(state, message);
  }

  /** Go on after a conflict; the chain of the server can be had back by undoing. */
  #settle(content, theirs) {
    this.#goOnWith(theirs);
    this.#goOnWith(content);
    this.#saving.resolve(content);
  }

  #goOnWith(content) {
    this.#data.content = content;
    if (!same(content.reference_toolchain, this.#calls)) this.#replace(content.reference_toolchain);
  }

  /** The draft with the chain as it is now. */
  get #content() {
    return { ...this.#data.content, reference_toolchain: this.#calls };
  }

  get #calls() {
    return this.#history.state;
  }

  #edit(change, kind) {
    this.#history.change(change(this.#calls), kind);
  }

  #add(tool, values) {
    const size = this.#shown?.steps.at(-1) ?? this.#data.picture ?? { width: 100, height: 100 };
    this.#focus = this.#calls.length + 1;
    this.#edit((calls) => added(calls, newCall(tool, size, values)));
  }

  #move(from, to) {
    this.#focus = to + 1;
    this.#edit((calls) => moved(calls, from, to));
  }

  #look(number) {
    this.#focus = number;
    this.#show();
    this.#run();
  }

  #begin(select) {
    const found = this.#data.templates.find(({ category }) => category === select.value);
    if (found) this.#replace(found.calls);
    select.value = "";
  }

  #paste(text = this.part("paste").value) {
    const { calls, problem } = readPasted(text, this.#data.picture);
    this.#complain("paste-problem", problem);
    if (!calls) return;
    document.getElementById("paste").close();
    this.#replace(calls);
  }

  #replace(calls) {
    this.#focus = calls.length;
    this.#edit(() => calls);
  }

  #changed() {
    this.#focus = Math.min(this.#focus, this.#calls.length);
    this.#complain("problem", "");
    this.#show();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), PAUSE);
  }

  #show() {
    this.#parts.steps.show(this.#calls, this.#focus, this.#shown, this.#thumbnails);
    this.#parts.results.showFilm(this.#calls, this.#focus, this.#shown, this.#thumbnails);
    this.#parts.chains.show(this.#calls, this.#ran === this.#calls ? this.#shown.end : null);
    this.#parts.draft.show(this.#calls);
    for (const [act, on] of [["undo", this.#history.canUndo], ["redo", this.#history.canRedo]]) this.querySelector(`[data-act=${act}]`).disabled = !on;
  }

  /** First as the screen shows it, then in full; an answer to what was asked before the last change is dropped. */
  async #run() {
    const asked = (this.#asked += 1);
    if (!this.#data.picture) return this.#parts.stage.none(t("The image of this sample is missing, so no step can run."));
    const isOver = () => asked !== this.#asked;
    const calls = this.#calls;
    const body = { calls, focus: this.#focus, side: this.#parts.stage.side, ...answerOf(this.#data.content) };
    try {
      for (const full of [false, true]) {
        const waiting = waitingWords(full ? t("In full") : t("Running step %(number)s", { number: this.#focus || 1 }), (words) => isOver() || this.#parts.stage.wait(words));
        const { status, data } = await this.#runs.ask({ ...body, full, known: [...this.#thumbnails.keys()].slice(-400) }, isOver).finally(waiting);
        if (isOver()) return;
        if (status !== 200) return this.#complain("problem", data.error?.message ?? t("The toolchain could not be run (%(status)s). Reload the page.", { status }));
        this.#ran = calls;
        this.#take(data);
        if (data.whole) return;
      }
    } catch {
      if (!isOver()) this.#complain("problem", t("No response from the server in time. Change a step, or choose a smaller crop."));
    } finally {
      if (!isOver()) this.#parts.stage.wait("");
    }
  }

  #take(shown) {
    this.#shown = shown;
    for (const step of [shown.original, ...shown.steps]) if (step.thumbnail) this.#thumbnails.set(step.key, step.thumbnail);
    const step = shown.steps[this.#focus - 1];
    const input = shown.view.before ?? shown.view.after;
    const tool = step ? this.#tools.get(step.tool) : null;
    this.#parts.stage.show(shown, this.#focus, { tool, input, colorspace: this.#calls[this.#focus - 1]?.arguments.colorspace });
    this.#parts.results.show(shown, this.#focus);
    const counts = { count: shown.steps.length, total: this.#calls.length, time: `${Math.round(shown.milliseconds)} ms` };
    const ran = shown.milliseconds < 1 ? t("%(count)s of %(total)s steps ran, kept from before", counts) : t("%(count)s of %(total)s steps ran in %(time)s", counts);
    const answer = t("Answer %(answer)s", { answer: this.#data.content.answer.join(", ") || t("not given") });
    this.part("summary").textContent = [answer, this.#calls.length ? ran : t("no steps yet")].join(" · ");
    this.#show();
  }

  #act({ target }) {
    const act = target.closest("[data-act]")?.dataset.act;
    if (act === "undo" || act === "redo") this.#history[act]();
    else if (act === "pick") this.#parts.stage.pick();
  }

  #key(event) {
    const pressed = (event.ctrlKey || event.metaKey) && event.key.toLowerCase();
    if (!["z", "y"].includes(pressed) || event.target.closest("input, textarea")) return;
    event.preventDefault();
    this.#history[pressed === "y" || event.shiftKey ? "redo" : "undo"]();
  }

  /** The answer, or null with the reason shown. */
  async #send(url, body) {
    const answer = await sendJson("POST", url, body, { token: token(), key: newKey() }).catch(() => null);
    const done = answer?.status === 200;
    this.#complain("problem", done ? "" : (answer?.data.error?.message ?? t("No response from the server. Try again.")));
    return done ? answer.data : null;
  }

  #complain(part, problem) {
    const note = part === "problem" ? this.querySelector(".pane__foot [data-part=problem]") : this.part(part);
    [note.hidden, note.querySelector("span").textContent] = [!problem, problem];
  }
}
