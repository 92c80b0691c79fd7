const GAP = 6;
const EDGE = 8;
/** On these the card is a sheet at the foot of the window, placed by the style sheet. */
const NARROW = "(max-width: 720px)";

/** @type {HTMLElement | undefined} */
let card;
/** Address of an entry to its markup, asked for once a page. @type {Map<string, Promise<string>>} */
const entries = new Map();

/**
 * <sightline-term><a href="/glossary/#coverage">coverage</a></sightline-term>: a press opens the entry in place, by mouse,
 * touch, Enter or Space; Escape, another press or one elsewhere closes it. Where no entry can be had, the link is followed.
 */
export class SightlineTerm extends HTMLElement {
  #ending = null;
  #wasOpen = false;

  connectedCallback() {
    const link = this.querySelector("a");
    // A copy of the site as files has the glossary alone, no entries.
    if (!link?.pathname.endsWith("/") || !("popover" in this)) return;
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    link.setAttribute("role", "button");
    link.setAttribute("aria-haspopup", "dialog");
    link.setAttribute("aria-expanded", "false");
    link.addEventListener(
      "pointerdown",
      () => {
        // The browser closes the card before the click arrives.
        this.#wasOpen = isOpenIn(this);
        entry(link).catch(() => {});
      },
      { signal },
    );
    // What is around it, such as a row that opens or a head that sorts, is not meant.
    this.addEventListener("click", (event) => event.stopPropagation(), { signal });
    link.addEventListener("click", (event) => this.#press(event, link), { signal });
    // Before the keys of the page, some of which are taken on their way down.
    window.addEventListener("keydown", (event) => this.contains(event.target) && this.#key(event, link), { signal, capture: true });
  }

  disconnectedCallback() {
    this.#ending?.abort();
  }

  #press(event, link) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const wasOpen = this.#wasOpen || isOpenIn(this);
    this.#wasOpen = false;
    if (wasOpen) close();
    else this.#open(link);
  }

  /** In the card, the keys of the page do nothing: an Enter there sends no form behind it. */
  #key(event, link) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isOnLink = event.target === link;
    if (event.key === "Escape" && isOpenIn(this)) {
      close();
      link.focus();
      event.preventDefault();
    } else if (event.key === " " && isOnLink) {
      link.click();
      event.preventDefault();
    } else if (isOnLink && event.key !== "Enter") return;
    event.stopPropagation();
  }

  async #open(link) {
    let markup;
    try {
      markup = await entry(link);
    } catch {
      location.assign(link.href);
      return;
    }
    if (!this.isConnected) return;
    close();
    card ??= newCard();
    card.innerHTML = markup;
    this.append(card);
    card.showPopover();
    place(card, link);
    link.setAttribute("aria-expanded", "true");
    card.focus({ preventScroll: true });
  }
}

const isOpenIn = (term) => Boolean(card && card.parentElement === term && card.matches(":popover-open"));

function close() {
  if (card?.matches(":popover-open")) card.hidePopover();
}

function newCard() {
  const made = document.createElement("div");
  made.className = "term-card";
  made.popover = "auto";
  made.tabIndex = -1;
  made.setAttribute("role", "dialog");
  made.setAttribute("aria-labelledby", "term-card-name");
  made.addEventListener("beforetoggle", (event) => {
    if (event.newState === "closed") made.parentElement?.querySelector("a")?.setAttribute("aria-expanded", "false");
  });
  // It would stay where its word was.
  const away = (event) => event.target.contains?.(made) && !matchMedia(NARROW).matches && close();
  document.addEventListener("scroll", away, { capture: true, passive: true });
  addEventListener("resize", close);
  return made;
}

/** Below its word, or above it where there is more room, and inside the window. */
function place(made, link) {
  const at = link.getBoundingClientRect();
  const { width, height } = made.getBoundingClientRect();
  const below = at.bottom + GAP;
  const fits = below + height <= innerHeight - EDGE;
  const y = fits ? below : Math.max(EDGE, at.top - GAP - height);
  const x = Math.max(EDGE, Math.min(at.left, innerWidth - EDGE - width));
  made.style.setProperty("--x", `${Math.round(x)}px`);
  made.style.setProperty("--y", `${Math.round(y)}px`);
}

/** The entry that a link of the glossary leads to. */
function entry(link) {
  const { pathname, hash } = new URL(link.href);
  const address = `${pathname}${hash.slice(1)}/`;
  if (!entries.has(address)) {
    const asked = fetch(address, { redirect: "error", signal: AbortSignal.timeout(5000) }).then((answer) => {
      if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
      return answer.text();
    });
    asked.catch(() => entries.delete(address));
    entries.set(address, asked);
  }
  return entries.get(address);
}
