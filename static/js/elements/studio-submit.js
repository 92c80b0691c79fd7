import { newKey } from "../lib/request.js";
import { t, tn } from "../lib/t.js";
import { keepForNext, showKept } from "../lib/toasts.js";

/** How often a lease is renewed while a person works, in milliseconds. */
const RENEWAL = 60_000;
const SILENT = t("No response from the server. Your work is saved in this browser. Try again.");

/** Handing the sample on: submit, skip, give back; and keeping it while it is worked on. */
export class Handing {
  #root;
  #urls;
  #parts;
  #busy = false;
  #active = false;
  #submission = null;

  /** `parts`: saving, checks, content(), settle() takes what is still being typed,
   * extra() what else is sent with a submission, send(method, url, body, key), leave(address or null), renewed(),
   * signal that ends it */
  constructor(root, urls, parts) {
    this.#root = root;
    this.#urls = urls;
    this.#parts = parts;
    this.#button.addEventListener("click", () => this.submit());
    const dialog = document.getElementById("skip");
    dialog.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#leave("skip", { reason: dialog.querySelector("textarea").value });
    });
    dialog.querySelector("[data-act=release]").addEventListener("click", () => this.#leave("release", {}));
    for (const name of ["keydown", "pointerdown"]) document.addEventListener(name, () => (this.#active = true), { passive: true, signal: parts.signal });
    const timer = setInterval(() => this.#renew(), RENEWAL);
    parts.signal.addEventListener("abort", () => clearInterval(timer));
  }

  show() {
    const reason = this.#reason;
    this.#button.setAttribute("aria-disabled", String(reason !== ""));
    this.#say(reason);
  }

  /** Submit what is there now: what the last checks said of an earlier state does not stand in the way. */
  async submit() {
    const { saving, checks } = this.#parts;
    if (this.#busy || saving.state === "locked") return;
    this.#setBusy(true);
    this.#parts.settle();
    try {
      await saving.flush();
      if (this.#reason) checks.visit();
      else if (saving.state === "saved") await this.#submit();
    } catch {
      this.#say(SILENT, true);
    } finally {
      this.#setBusy(false);
    }
  }

  async #submit() {
    const { saving, checks } = this.#parts;
    const content = this.#parts.content();
    // Pressed again after a lost answer it is the same act.
    if (this.#submission?.content !== content) this.#submission = { content, key: newKey() };
    const { status, data } = await this.#parts.send("POST", this.#urls.submit, { version: saving.version, content, ...this.#parts.extra() }, this.#submission.key);
    if (status === 200) {
      saving.finish();
      if (data.disclosed) keepForNext(data.disclosed);
      // The next page shows it. A page that is only turned to does not load.
      if (await this.#parts.leave(data.next)) showKept();
    } else if (status === 422 && data.checks) {
      checks.show(data.checks);
      this.show();
      checks.visit();
    } else if (status === 409 && !data.content) saving.lose(data.error);
    else this.#say(data.error?.message ?? t("The server returned an error (%(status)s). Your work is saved in this browser. Try again.", { status }), true);
  }

  async #leave(name, body) {
    const say = (words) => (document.querySelector("#skip [data-part=problem]").textContent = words);
    try {
      await this.#parts.saving.flush();
      if (this.#parts.saving.state === "offline") return say(SILENT);
      const { status, data } = await this.#parts.send("POST", this.#urls[name], body, newKey());
      if (status >= 400) return say(data.error?.message ?? t("The server returned an error (%(status)s). Try again.", { status }));
      this.#parts.saving.finish();
      this.#parts.leave(data.next);
    } catch {
      say(SILENT);
    }
  }

  async #renew() {
    if (!this.#active || ["lost", "replaced"].includes(this.#parts.saving.state)) return;
    this.#active = false;
    try {
      const { status } = await this.#parts.send("POST", this.#urls.renew, {}, "");
      // Saving takes the sample again if nobody else has it, and says so if a person has.
      if (status === 409) this.#parts.saving.change(this.#parts.content());
      else this.#parts.renewed();
    } catch {
      // Without network the drafts say so.
    }
  }

  get #button() {
    return this.#root.querySelector("[data-act=submit]");
  }

  get #reason() {
    const { state } = this.#parts.saving;
    const errors = this.#parts.checks.errors.length;
    if (state === "offline") return t("Offline. You can submit when the server is back.");
    if (state === "signed-out") return t("You are signed out. Sign in again to submit.");
    if (state === "locked") return t("This annotation is already submitted.");
    if (state === "lost") return t("Your reservation expired. You can't submit this sample.");
    if (state === "replaced") return t("The image was replaced. Reload the page to submit.");
    if (errors) return tn("Fix %(count)s error to submit.", "Fix %(count)s errors to submit.", errors);
    return "";
  }

  #setBusy(busy) {
    this.#busy = busy;
    if (busy) this.#button.setAttribute("aria-busy", "true");
    else this.#button.removeAttribute("aria-busy");
  }

  #say(words, failed = false) {
    const reason = this.#root.querySelector("[data-part=reason]");
    reason.textContent = words;
    reason.classList.toggle("is-bad", failed);
  }
}
