import { newKey, sendJson } from "../lib/request.js";
import { token } from "./review-send.js";

const LATER = 202;
const AGAIN = 500;
const LONGEST = 90_000;
const QUICK = 400;

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Asks for runs of a chain under one name, so that the server leaves what this page asked for before its last change. */
export class WorkbenchRuns {
  #url;
  #editor = newKey();

  constructor(url) {
    this.#url = url;
  }

  /** The answer. While the server is busy with the chains of others, it is asked again, unless that `isOver`. */
  async ask(body, isOver) {
    for (;;) {
      const answer = await sendJson("POST", this.#url, { ...body, editor: this.#editor }, { token: token(), longest: LONGEST });
      if (answer.status !== LATER || isOver()) return answer;
      await pause(AGAIN);
      if (isOver()) return answer;
    }
  }
}

/** Says what is under way, and after a while for how long, until the function it gives is called. */
export function waitingWords(words, say) {
  const begun = Date.now();
  const tell = () => {
    const seconds = Math.round((Date.now() - begun) / 1000);
    say(seconds > 1 ? `${words}, ${seconds} s …` : `${words} …`);
  };
  const first = setTimeout(tell, QUICK);
  const more = setInterval(tell, 1000);
  return () => {
    clearTimeout(first);
    clearInterval(more);
  };
}
