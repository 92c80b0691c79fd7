import { t } from "../lib/t.js";
import { Mentions } from "./mentions.js";
import { send } from "./review-send.js";
import { pinAt } from "./stage-places.js";

/**
 * Comments on a sample, some pinned to a place of the image, with answers; a thread can be resolved, and reopened.
 *
 *   <section data-comments data-url="/…/comments/"><div id="comments">{% include "annotation/common/_comments.html" %}</div>
 *     <form>[name=text], [data-about], [data-trouble], submit</form></section>
 *
 * What the server says of a thread is drawn by its template alone: after a change the piece is fetched again.
 */
export class Comments {
  #root;
  #places;
  #form;
  #place = null;
  #parent = null;
  #sending = false;
  #image;

  /**
   * @param {HTMLElement} root
   * @param {object|null} places StagePlaces, if there is an image
   * @param {AbortSignal} signal
   * @param {string} [image] the SHA-256 of that image
   */
  constructor(root, places, signal, image) {
    this.#root = root;
    this.#places = places;
    this.#image = image;
    this.#form = root.querySelector("form");
    new Mentions(this.#form, root.dataset.url, signal);
    this.#form.addEventListener("submit", (event) => this.#send(event), { signal });
    this.#form.addEventListener("keydown", (event) => this.#formKey(event), { signal });
    root.addEventListener("click", (event) => this.#click(event), { signal });
    this.#showPins();
  }

  /** Begin a comment: the next press on the image is its place, Enter takes the middle, Escape takes none. */
  begin() {
    if (!this.#places) {
      this.#write(null, null);
      return;
    }
    this.#say("picking");
    this.#places.pick((place) => this.#write(place, null));
  }

  /** Whether the next press on the image is the place of a comment. */
  get isPicking() {
    return this.#root.dataset.state === "picking";
  }

  /** Pick no place after all. */
  stop() {
    if (!this.isPicking) return;
    this.#places.stopPicking();
    this.#say("");
  }

  /** Whether the key was for the place that is being chosen. */
  takes(key) {
    if (!this.isPicking || !["Enter", "Escape"].includes(key)) return false;
    const { middle } = this.#places;
    this.#places.stopPicking();
    this.#write(key === "Enter" ? middle : null, null);
    return true;
  }

  #write(place, parent) {
    this.#place = place;
    this.#parent = parent;
    this.#say("writing");
    const about = parent ? t("Reply to %(name)s", { name: parent.who }) : place ? t("Comment at %(x)s, %(y)s in the image", place) : t("Comment on the sample");
    this.#form.querySelector("[data-about]").textContent = about;
    this.#form.hidden = false;
    this.#form.elements.text.focus();
    this.#showPins();
  }

  #close() {
    this.#place = this.#parent = null;
    this.#form.hidden = true;
    this.#say("");
    this.#showPins();
  }

  /** The page says with data-state what it waits for: "picking", "writing" or nothing. */
  #say(state) {
    this.#root.dataset.state = state;
    const tip = document.querySelector("[data-picking]");
    if (tip) tip.hidden = state !== "picking";
  }

  #formKey(event) {
    if (event.key === "Escape") this.#close();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#form.requestSubmit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  async #click({ target }) {
    if (target.closest("[data-cancel]")) this.#close();
    if (target.closest("[data-comment]")) this.begin();
    const answer = target.closest("[data-answer]");
    if (answer) this.#write(null, { id: Number(answer.dataset.answer), who: answer.dataset.who });
    const place = target.closest("[data-go]")?.closest("[data-x]");
    if (place) this.#places?.flyTo(Number(place.dataset.x), Number(place.dataset.y));
    const resolve = target.closest("[data-resolve]");
    if (!resolve) return;
    resolve.setAttribute("aria-busy", "true");
    const { ok, trouble } = await send(resolve.dataset.resolve, { resolved: !("openAgain" in resolve.dataset) });
    resolve.removeAttribute("aria-busy");
    if (ok) await this.#renew();
    else this.#complain(trouble);
  }

  async #send(event) {
    event.preventDefault();
    const text = this.#form.elements.text.value.trim();
    if (this.#sending || !text) return;
    this.#sending = true;
    const about = this.#parent ? { parent: this.#parent.id } : this.#place ? { ...this.#place, image: this.#image } : {};
    const { ok, trouble } = await send(this.#root.dataset.url, { text, ...about });
    this.#sending = false;
    this.#complain(trouble);
    if (!ok) return;
    this.#form.reset();
    this.#close();
    await this.#renew();
  }

  async #renew() {
    const answer = await fetch(location.href).catch(() => null);
    const page = answer?.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
    const fresh = page?.getElementById("comments");
    if (!fresh) {
      this.#complain(t("The comment is saved, but the list could not be updated. Reload the page."));
      return;
    }
    this.#root.querySelector("#comments").replaceWith(fresh);
    this.#showPins();
  }

  #complain(trouble) {
    const note = this.#form.parentElement.querySelector("[data-trouble]");
    note.hidden = !trouble;
    note.querySelector("span").textContent = trouble;
  }

  #showPins() {
    if (!this.#places) return;
    const pins = [...this.#root.querySelectorAll("[data-x]:not([data-resolved])")].map((thread) =>
      this.#pin(thread.dataset.who, thread.dataset, () => thread.scrollIntoView({ block: "nearest" })),
    );
    if (this.#place) pins.push(this.#pin(t("New"), this.#place, () => this.#form.elements.text.focus()));
    this.#places.show("comments", pins);
  }

  #pin(who, { x, y }, act) {
    return pinAt({ x, y }, "pin--note", who, t("Comment by %(who)s", { who }), act);
  }
}
