/**
 * <sightline-session data-src="/session/" data-person="7" data-name="Ana Lind">[role=alert] with [data-text]</sightline-session>
 *
 * A request that is answered 401 says "signedout" on the document. If this person is signed in all the same (in another tab,
 * which changed the token), the page gets the new token; else the alert says so, until another tab tells that a person signed
 * in. "signedin" on the document then has unsaved work sent. Work of one person is never sent for another.
 */

import { t } from "../lib/t.js";

export class SightlineSession extends HTMLElement {
  #channel = null;
  #ending = null;
  #renewed = -Infinity;

  connectedCallback() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    this.#channel = new BroadcastChannel("session");
    this.#channel.addEventListener("message", () => this.#isOut && this.#check(), { signal });
    if (this.dataset.person) this.#channel.postMessage("signed in");
    document.addEventListener("signedout", () => this.#check(), { signal });
    window.addEventListener("focus", () => this.#isOut && this.#check(), { signal });
  }

  disconnectedCallback() {
    this.#ending?.abort();
    this.#channel?.close();
  }

  get #alert() {
    return this.querySelector("[role=alert]");
  }

  get #isOut() {
    return !this.#alert.hidden;
  }

  async #check() {
    const answer = await fetch(this.dataset.src, { headers: { Accept: "application/json" } }).catch(() => null);
    const found = answer?.ok ? await answer.json() : { person: null, name: "" };
    // Refused again right after a new token, the token is not what is wrong.
    if (String(found.person ?? "") === this.dataset.person && found.person && performance.now() - this.#renewed > 5000) this.#renew(found.token);
    else this.#say(found);
  }

  #renew(token) {
    this.#renewed = performance.now();
    for (const field of document.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = token;
    document.body.setAttribute("hx-headers", JSON.stringify({ "X-CSRFToken": token }));
    this.#alert.hidden = true;
    document.dispatchEvent(new Event("signedin"));
  }

  #say({ person, name }) {
    const { person: mine, name: me } = this.dataset;
    const words = !mine
      ? t("You need an account for this. Sign in, then reload this page.")
      : person && String(person) !== mine
        ? t("You're signed in as %(name)s in another tab. Sign in as %(me)s to save your work here.", { name, me })
        : t("You're signed out. Your work is kept in this tab. Sign in again in another tab to save it.");
    this.querySelector("[data-text]").textContent = words;
    this.#alert.hidden = false;
  }
}
