import { themeAfter, themeCookie, themeWords } from "../lib/theme.js";

/** <sightline-theme><button>…</button></sightline-theme>: the system's theme, light, dark, and round again. */
export class SightlineTheme extends HTMLElement {
  connectedCallback() {
    const root = document.documentElement;
    const button = this.querySelector("button");
    const say = () => {
      const words = themeWords(root.dataset.theme ?? "");
      button.title = words;
      button.setAttribute("aria-label", words);
    };
    button.addEventListener("click", () => {
      const theme = themeAfter(root.dataset.theme ?? "");
      if (theme) root.dataset.theme = theme;
      else delete root.dataset.theme;
      document.cookie = themeCookie(theme) + (location.protocol === "https:" ? "; secure" : "");
      say();
    });
    say();
  }
}
