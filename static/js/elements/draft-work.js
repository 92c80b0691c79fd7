import { newKey } from "../lib/request.js";
import { DraftCopy } from "../models/draft-copy.js";
import { DraftSaving } from "../models/draft-saving.js";
import { completed, same } from "../models/draft.js";

/**
 * Begin to save a person's draft of a sample: to this browser at once and to the server soon. Every page of the draft has
 * the same copy, so that what one of them could not save is there on the next.
 *
 * @param {{url: string, person: string, version: number, content: object, send: Function}} draft with the server's
 *   content, and send(body, key)
 * @returns {{saving: DraftSaving, left: object|null}} left: the work of an earlier visit that the server does not have
 */
export function beginDraft({ url, person, version, content, send }) {
  const copy = new DraftCopy(localStorage, `${url} of ${person}`);
  const work = copy.read();
  const left = work && !same(work.content, content) ? completed(work.content) : null;
  if (!left) copy.drop();
  const from = left ? { version: work.version, content: left, base: work.base, sent: work.sent } : { version, content };
  return { saving: new DraftSaving({ ...from, send, copy, newKey }), left };
}
