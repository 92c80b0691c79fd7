import { firstTiles } from "../lib/tiles.js";

/**
 * What comes after this sample, fetched while it is worked on: the page, and the tiles that are drawn first. The server
 * keeps that sample for this person for a short time; leaving for anywhere else gives it back.
 */
export class Ahead {
  #url;
  #send;
  #stage;
  #next = null;
  #page = null;
  #asking = false;
  #asked = false;

  /** @param {string} url where to ask  @param {Function} send (method, url, body, key, more)  @param {HTMLElement} stage */
  constructor(url, send, stage, signal) {
    this.#url = url;
    this.#send = send;
    this.#stage = stage;
    window.addEventListener("pagehide", () => this.#release(), { signal });
  }

  /** Whether the server has said what comes next, or that nothing does. */
  get asked() {
    return this.#asked;
  }

  /** Ask what comes next and fetch it; asked again it is kept for longer. Without an answer there is nothing ahead. */
  async ask() {
    if (this.#asking) return;
    this.#asking = true;
    try {
      const { data } = await this.#send("POST", this.#url, {}, "");
      this.#take(data.next ?? null);
      this.#asked = true;
    } catch (error) {
      console.info(error.message);
    } finally {
      this.#asking = false;
    }
  }

  /** The page at this address as HTML, from here if it was fetched ahead; what was kept and is not it is given back. */
  async page(address) {
    const [next, page] = [this.#next, this.#page];
    if (next?.url !== address) this.#release();
    this.#next = this.#page = null;
    return (next?.url === address && (await page)) || fetched(address);
  }

  #take(next) {
    if (next?.url === this.#next?.url) return;
    this.#release();
    this.#next = next;
    if (!next) return;
    this.#page = fetched(next.url);
    const { clientWidth: width, clientHeight: height } = this.#stage;
    for (const tile of next.image ? firstTiles(next.image, { width, height }) : []) new Image().src = tile;
  }

  #release() {
    if (this.#next) this.#send("POST", this.#next.release, {}, "", { keepalive: true }).catch((error) => console.info(error.message));
    this.#next = this.#page = null;
  }
}

/** A page as HTML, or null when it is not to be had. */
async function fetched(address) {
  const answer = await fetch(address, { headers: { Accept: "text/html" } }).catch(() => null);
  return answer?.ok && !answer.redirected ? answer.text() : null;
}
