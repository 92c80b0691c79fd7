import { newKey } from "../lib/request.js";
import { DraftCopy } from "../models/draft-copy.js";
import { DraftSaving } from "../models/draft-saving.js";
import { completed, onNewImage, same } from "../models/draft.js";

/**
 * Begin to save a person's draft of a sample: to this browser at once and to the server soon. Every page of the draft has
 * the same copy, so that what one of them could not save is there on the next.
 *
 * Work that was left on an image of other pixels keeps its texts. Its evidence and toolchain are those of the server.
 *
 * @param {{url: string, person: string, version: number, content: object, image: string|undefined, pixels: string[],
 *   send: Function}} draft with the server's content, the image and those with the same pixels, and send(body, key)
 * @returns {{saving: DraftSaving, left: object|null}} left: the work of an earlier visit that the server does not have
 */
export function beginDraft({ url, person, version, content, image, pixels = [], send }) {
  const copy = new DraftCopy(localStorage, `${url} of ${person}`, image);
  const found = copy.read();
  const work = found?.image && !pixels.includes(found.image) ? onNewImage(found, { version, content }) : found;
  const left = work && !same(work.content, content) ? completed(work.content) : null;
  if (!left) copy.drop();
  const from = left ? { version: work.version, content: left, base: work.base, sent: work.sent } : { version, content };
  return { saving: new DraftSaving({ ...from, send, copy, newKey }), left };
}
