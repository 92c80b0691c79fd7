import { t } from "../lib/t.js";

/**
 * <sightline-zone><select>…</select><button hidden></button></sightline-zone>: offers the time zone of
 * the browser, where it is another than the chosen one.
 */
export class SightlineZone extends HTMLElement {
  #ending = null;

  connectedCallback() {
    this.#ending = new AbortController();
    const [select, button] = [this.querySelector("select"), this.querySelector("button")];
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const offered = [...select.options].find((option) => option.value === timeZone);
    if (!offered) return;
    button.textContent = t("Use the time zone of this browser: %(zone)s", { zone: offered.textContent });
    const show = () => (button.hidden = select.value === timeZone);
    const take = () => {
      select.value = timeZone;
      select.focus();
      show();
    };
    button.addEventListener("click", take, { signal: this.#ending.signal });
    select.addEventListener("change", show, { signal: this.#ending.signal });
    show();
  }

  disconnectedCallback() {
    this.#ending?.abort();
  }
}
