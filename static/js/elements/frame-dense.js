import { turnsUnder } from "../models/marks.js";
import { hideTip, showTip } from "./frame-tip.js";

/** Pixels of the screen: a pointer that moved less has clicked, and two clicks no further apart are at one place. */
const STILL = 4;

/**
 * A frame with too many crops for an outline each: the smallest one under the pointer is outlined, a click puts it in
 * focus, and further clicks at the same place go through the larger ones that lie there. A turn that is pointed at
 * elsewhere on the page is outlined too.
 */
export function pickAmongMany(frame, turns, selection, marks, signal) {
  const listen = (target, name, act) => target.addEventListener(name, act, { signal });
  const apart = (one, other) => !other || Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) > STILL;
  const offPicture = ({ target }) => target.closest(".glass, a, button");
  let pressed = null;
  let taken = { event: null, place: -1 };

  const under = (event) => turnsUnder(turns, frame.pointUnder(event) ?? [NaN, NaN]);

  listen(frame, "pointermove", (event) => {
    if (event.buttons || offPicture(event)) return;
    const here = under(event);
    const place = apart(event, taken.event) ? 0 : Math.max(0, taken.place);
    marks.pointAt(here[place]?.turn ?? null, selection.current);
    if (here.length) showTip(frame, here[place] ?? here[0], event, here.length - 1);
    else hideTip(frame);
  });
  listen(frame, "pointerleave", () => marks.pointAt(null, selection.current));
  listen(frame, "pointerdown", (event) => (pressed = event));
  listen(frame, "click", (event) => {
    if (offPicture(event) || apart(event, pressed)) return;
    const here = under(event);
    if (!here.length) return;
    event.stopPropagation();
    const place = apart(event, taken.event) ? 0 : (taken.place + 1) % here.length;
    taken = { event, place };
    selection.select(here[place].turn);
    showTip(frame, here[place], event, here.length - 1);
  });
  listen(document, "pointerover", ({ target }) => {
    const turn = target.closest?.("[data-turn]:not(g)")?.dataset.turn;
    if (turn) marks.pointAt(Number(turn), selection.current);
  });
}
