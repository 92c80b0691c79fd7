import { singleKey } from "../lib/keys.js";
import { t } from "../lib/t.js";

const SHOWN = ":not([hidden], [hidden] *, [inert] *)";

/** What an element with data-key does; the sign of its key in it is no part of that. */
function words(element) {
  const said = element.dataset.keyLabel || element.getAttribute("aria-label") || element.title;
  if (said) return said;
  const copy = element.cloneNode(true);
  for (const mark of copy.querySelectorAll("kbd")) mark.remove();
  return copy.textContent.trim();
}

/**
 * <sightline-key-help><dialog id="key-help">…</dialog></sightline-key-help>: "?" lists the keys of the page.
 * An element with data-key="n" is focused (a field) or clicked by that key; custom elements name theirs in keys, of the
 * element or of its class.
 */
export class SightlineKeyHelp extends HTMLElement {
  #ending = null;

  connectedCallback() {
    this.#ending = new AbortController();
    document.addEventListener("keydown", (event) => this.#key(event), { signal: this.#ending.signal });
    this.querySelector("dialog").addEventListener("toggle", () => this.#fill());
    this.#fill();
  }

  disconnectedCallback() {
    this.#ending?.abort();
  }

  #key(event) {
    const key = singleKey(event);
    if (!key || document.querySelector("dialog[open]")) return;
    const target = key === "?" ? null : document.querySelector(`[data-key="${CSS.escape(key)}"]${SHOWN}`);
    if (key !== "?" && !target) return;
    event.preventDefault();
    if (!target) {
      this.#fill();
      this.querySelector("dialog").showModal();
    } else if (target.matches("input, textarea, select")) target.focus();
    else target.click();
  }

  #fill() {
    const own = [...document.querySelectorAll(`[data-key]${SHOWN}`)].map((one) => [one.dataset.key.toUpperCase(), words(one)]);
    const theirs = [...document.querySelectorAll("*")]
      .filter((one) => one.localName.includes("-"))
      .flatMap((one) => one.keys ?? customElements.get(one.localName)?.keys ?? []);
    // Two frames of a page have the same keys; a key is listed once.
    const listed = new Map([...theirs, ...own, ["?", t("this list")]].map(([keys, said]) => [`${keys} ${said}`, [keys, said]]));
    const rows = [...listed.values()].map(([keys, said]) => {
      const row = document.createElement("li");
      const name = document.createElement("span");
      name.textContent = said;
      const marks = document.createElement("span");
      for (const key of keys.split(" ")) marks.append(Object.assign(document.createElement("kbd"), { textContent: key }));
      row.append(name, marks);
      return row;
    });
    this.querySelector("ul").replaceChildren(...rows);
  }
}
