/** <sightline-password><input type="password"><button hidden>Show</button></sightline-password> */

import { t } from "../lib/t.js";

export class SightlinePassword extends HTMLElement {
  connectedCallback() {
    const input = this.querySelector("input");
    const button = this.querySelector("button");
    button.hidden = false;
    button.addEventListener("click", () => {
      const shown = input.type === "password";
      input.type = shown ? "text" : "password";
      button.textContent = shown ? t("Hide") : t("Show");
      button.setAttribute("aria-pressed", String(shown));
    });
  }
}
