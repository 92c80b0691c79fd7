import { t } from "../lib/t.js";

/** The decisions of an adjudication, and the form of the one that is chosen. */
export class AdjudicationFoot {
  #root;
  #acts;
  #decision = null;
  #sending = false;

  /** @param {{accept: () => void, edit: () => void, send: (body: object) => void}} acts */
  constructor(root, acts, signal) {
    this.#root = root;
    this.#acts = acts;
    for (const button of root.querySelectorAll("[data-decision]")) button.addEventListener("click", () => this.#choose(button.dataset.decision), { signal });
    for (const chip of root.querySelectorAll("[data-reason]")) {
      chip.addEventListener("click", () => {
        chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
        this.#show();
      }, { signal });
    }
    this.#part("open").addEventListener("input", () => this.#show(), { signal });
    this.#part("confirm").addEventListener("click", () => this.confirm(), { signal });
    this.#part("leave").addEventListener("click", () => this.leave(), { signal });
    this.#show();
  }

  /**
   * What accepting does now: the letter of the annotation that becomes gold, or null for a combination.
   * `lacking`: a box is missing, so the button opens the editor.
   */
  result(letter, lacking) {
    this.#part("accepts").hidden = lacking;
    this.#part("draws").hidden = !lacking;
    if (lacking) this.#part("result").textContent = t("Evidence is missing. Draw a box in the editor.");
    else this.#part("result").textContent = letter ? t("Accepting makes annotation %(letter)s gold.", { letter }) : t("Accepting makes a combined annotation gold.");
  }

  confirm() {
    if (this.#decision && !this.#missing) this.#acts.send(this.#body);
  }

  leave() {
    this.#decision = null;
    this.#part("refused").hidden = true;
    this.#show();
  }

  /** Whether this may be sent now: one at a time. */
  begin() {
    if (this.#sending) return false;
    this.#sending = true;
    this.#part("refused").hidden = true;
    this.#show();
    return true;
  }

  failed(sentence) {
    this.#sending = false;
    const note = this.#part("refused");
    note.hidden = false;
    note.querySelector("span").textContent = sentence;
    this.#show();
  }

  #choose(decision) {
    if (this.#sending) return;
    if (decision === "accept") this.#acts.accept();
    else if (decision === "edit") this.#acts.edit();
    else {
      this.#decision = decision;
      this.#show();
      this.#part("open").querySelector(`[data-for=${decision}] :is(textarea, input, button)`).focus();
    }
  }

  get #body() {
    if (this.#decision === "return") return { decision: "return", comments: this.#comments };
    if (this.#decision === "discard") return { decision: "discard", reasons: this.#reasons, comments: { all: this.#why } };
    return { decision: "keep", letters: this.#kept };
  }

  get #comments() {
    const fields = [...this.#root.querySelectorAll("[data-comment-of]")];
    return Object.fromEntries(fields.filter(({ value }) => value.trim()).map(({ dataset, value }) => [dataset.commentOf, value.trim()]));
  }

  get #reasons() {
    return [...this.#root.querySelectorAll("[data-reason][aria-pressed=true]")].map(({ dataset }) => dataset.reason);
  }

  get #why() {
    return this.#root.querySelector("[data-why]").value.trim();
  }

  get #kept() {
    return [...this.#root.querySelectorAll("[data-kept]:checked")].map(({ value }) => value);
  }

  get #missing() {
    if (this.#decision === "return" && !Object.keys(this.#comments).length) return t("Write to at least one annotator what to change.");
    if (this.#decision === "discard" && !this.#reasons.length && !this.#why) return t("Choose a reason, or write a comment.");
    if (this.#decision === "keep" && this.#kept.length < 2) return t("Choose at least two questions.");
    return "";
  }

  #part(name) {
    return this.#root.querySelector(`[data-${name}]`);
  }

  #show() {
    this.#part("four").hidden = this.#decision !== null;
    this.#part("open").hidden = this.#decision === null;
    for (const part of this.#part("open").querySelectorAll("[data-for]")) part.hidden = part.dataset.for !== this.#decision;
    this.#part("missing").textContent = this.#decision ? this.#missing : "";
    const confirm = this.#part("confirm");
    confirm.disabled = Boolean(this.#missing) || this.#sending;
    for (const button of [confirm, this.#root.querySelector("[data-decision=accept]")]) {
      if (this.#sending) button.setAttribute("aria-busy", "true");
      else button.removeAttribute("aria-busy");
    }
  }
}
