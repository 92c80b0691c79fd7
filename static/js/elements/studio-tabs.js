/** Tabs over panels of which one is shown; the arrows go from tab to tab. A tab names its panel in aria-controls. */
export class Tabs {
  #tabs;

  constructor(list) {
    this.#tabs = [...list.querySelectorAll("[role=tab]:not([hidden])")];
    list.addEventListener("click", (event) => {
      const tab = event.target.closest("[role=tab]");
      if (!tab) return;
      event.preventDefault();
      this.choose(tab);
    });
    list.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const at = this.#tabs.indexOf(event.target);
      if (!by || at < 0) return;
      event.preventDefault();
      const tab = this.#tabs.at((at + by) % this.#tabs.length);
      this.choose(tab);
      tab.focus();
    });
    this.choose(this.#tabs[0]);
  }

  /** Show the panel that this element lies in, if it lies in one. */
  reveal(element) {
    const panel = element.closest("[role=tabpanel]");
    const tab = this.#tabs.find((one) => one.getAttribute("aria-controls") === panel?.id);
    if (tab) this.choose(tab);
  }

  /** The tab whose panel is shown. */
  get current() {
    return this.#tabs.find((tab) => tab.getAttribute("aria-selected") === "true");
  }

  choose(chosen) {
    for (const tab of this.#tabs) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
    }
  }
}
