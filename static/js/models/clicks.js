import { addProposed } from "./box-list.js";

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

  /** The content with the open shape as one of its own, which keeps its source. */
  accept(content, size) {
    const last = this.#all.at(-1);
    const next = addProposed(content, last.shape, size);
    if (next !== content) Object.assign(last, { decision: "accepted", had: content.gold_boxes.length });
    return next;
  }

  /** Undoing the acceptance of the last shape opens it again. */
  follow({ gold_boxes: boxes }) {
    const last = this.#all.at(-1);
    if (last?.decision === "accepted" && boxes.length <= last.had) last.decision = "left";
  }
}
