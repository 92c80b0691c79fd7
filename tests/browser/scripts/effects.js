/** What a key press does to a page: for tests. Navigation and requests that write are counted and held back. */
(() => {
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const seen = (kind) => effects.last.push(kind);
  window.effects = {
    last: [],
    holding: true,
    /** Close what is open, leave the field, and wait until the page has come to rest. What follows is counted. */
    async ready() {
      for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
      if (document.activeElement !== document.body) document.activeElement.blur();
      await effects.begin();
    },
    async rest() {
      const end = performance.now() + 1500;
      let before;
      do {
        before = effects.last.length;
        await pause(40);
      } while (before !== effects.last.length && performance.now() < end);
    },
    async begin() {
      await effects.rest();
      effects.last = [];
    },
    async seen(wait) {
      const end = performance.now() + wait;
      while (!effects.last.length && performance.now() < end) await pause(10);
      return effects.last.length > 0;
    },
  };
  // The indicator of jobs asks again by itself.
  const itself = (target) => (target.closest ? target : target.parentElement)?.closest("#jobs-indicator, sightline-jobs");
  new MutationObserver((all) => all.forEach(({ target }) => itself(target) || seen(`changed ${target.nodeName}`))).observe(document, {
    subtree: true,
    childList: true,
    attributes: true,
    characterData: true,
  });
  addEventListener("focusin", ({ target }) => seen(`focus ${target.nodeName}`), true);
  // A letter that is only typed is no effect of a key.
  addEventListener("input", ({ inputType }) => inputType !== "insertText" && seen("input"), true);
  addEventListener("change", () => seen("change"), true);
  addEventListener("scroll", () => seen("scroll"), true);
  navigation.addEventListener("navigate", (event) => {
    if (event.destination.sameDocument || document.readyState !== "complete") return;
    seen("navigate");
    if (effects.holding) event.preventDefault();
  });
  const { fetch } = window;
  window.fetch = (asked, options) => {
    if (!effects.holding || (options?.method ?? "GET") === "GET") return fetch(asked, options);
    seen("send");
    return Promise.reject(new TypeError("held back"));
  };
  const { open, send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (method, ...rest) {
    this.held = effects.holding && method !== "GET";
    return open.call(this, method, ...rest);
  };
  XMLHttpRequest.prototype.send = function (body) {
    if (!this.held) return send.call(this, body);
    seen("send");
    this.dispatchEvent(new ProgressEvent("error"));
  };
})();
