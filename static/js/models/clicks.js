import { addOutline } from "./box-list.js";
import { settled } from "./box.js";

/**
 * Shapes that a model proposed for clicks on an image, and what the person decided on each.
 *
 * A shape is {id, box, points, label, score, source}: `points` of a polygon, else null.
 */
export class Clicks {
  #all = [];

  /** The shape that waits for a decision, or null. */
  get open() {
    const last = this.#all.at(-1);
    return last?.decision === "left" ? last.shape : null;
  }

  /** What the person decided, by the number of the shape, for the submission. */
  get decisions() {
    return Object.fromEntries(this.#all.map(({ shape, decision }) => [shape.id, decision]));
  }

  /** A new shape; the one before it stays undecided. */
  add(shape) {
    this.#all.push({ shape, decision: "left", had: 0 });
  }

  dismiss() {
    this.#all.at(-1).decision = "dismissed";
  }

  /** The content with the open shape as one of its own. A box keeps its source. */
  accept(content, size) {
    const last = this.#all.at(-1);
    const next = accepted(last.shape, content, size);
    if (next !== content) Object.assign(last, { decision: "accepted", had: content.gold_boxes.length });
    return next;
  }

  /** Undoing the acceptance of the last shape opens it again. */
  follow({ gold_boxes: boxes }) {
    const last = this.#all.at(-1);
    if (last?.decision === "accepted" && boxes.length <= last.had) last.decision = "left";
  }
}

/** The content with a proposed shape, which stays as it is where the points are no polygon. */
export function accepted({ box, points, label, source }, content, size) {
  if (!points) return { ...content, gold_boxes: [...content.gold_boxes, { box: settled(box, size), label: label ?? "", source }] };
  const added = addOutline(content, "polygon", points, size);
  if (added === content) return content;
  return { ...added, gold_boxes: added.gold_boxes.with(-1, { ...added.gold_boxes.at(-1), label: label ?? "" }) };
}
