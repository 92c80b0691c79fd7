import { boxOf, hashOf, turnOf } from "../lib/address.js";
import { singleKey } from "../lib/keys.js";

const STEPS = { "[": -1, "]": 1 };

/**
 * A long trajectory is shown in parts: [ and ] go on over the ends of the part, and an address that names a turn of
 * another part opens that one. For a page with one element that says which turns it shows:
 *
 *   <ol data-turns-first="51" data-turns-last="100" data-turns-total="1000">
 */
export function turnsBeyond(selection, signal) {
  const list = document.querySelector("[data-turns-total]");
  if (!list) return;
  const [first, last, total] = ["turnsFirst", "turnsLast", "turnsTotal"].map((name) => Number(list.dataset[name]));
  const elsewhere = (turn) => turn >= 1 && turn <= total && (turn < first || turn > last);

  const address = (turn, box) => {
    const there = new URL(location);
    there.searchParams.set("from", turn);
    there.hash = hashOf(turn, box);
    return there;
  };

  const follow = () => {
    const turn = turnOf(location.hash);
    if (turn !== null && elsewhere(turn)) location.replace(address(turn, boxOf(location.hash)));
  };

  const step = (event) => {
    const turn = selection.current + STEPS[singleKey(event)];
    if (selection.current === null || !elsewhere(turn)) return;
    event.preventDefault();
    location.assign(address(turn, null));
  };

  document.addEventListener("keydown", step, { signal });
  window.addEventListener("hashchange", follow, { signal });
  follow();
}
