import { around, t } from "../lib/t.js";
import { tipOf } from "../models/marks.js";

/** Where crops belong to trajectories of their own, the one in focus has a link to its place there. */
export function linkChosen(frame, turns, current, signal) {
  const show = (number) => {
    frame.querySelector(".frame__chosen")?.remove();
    const turn = turns.find((one) => one.turn === number);
    if (!turn?.href) return;
    const { title, tool } = tipOf(turn);
    const link = document.createElement("a");
    link.className = "frame__chosen";
    link.href = turn.href;
    const name = document.createElement("b");
    name.textContent = title;
    link.append(...around(t("Open %(turn)s %(tool)s", { tool }), "turn", name));
    frame.append(link);
  };
  frame.addEventListener("turnchange", ({ detail }) => show(detail.turn), { signal });
  show(current);
}
