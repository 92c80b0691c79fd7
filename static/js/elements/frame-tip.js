import { tn } from "../lib/t.js";
import { tipOf } from "../models/marks.js";

/** Over the mark of a turn, say what it is. */
export function tipOverTurns(frame, turns, signal) {
  const over = (event) => {
    const number = event.target.closest("g[data-turn]")?.dataset.turn;
    const turn = turns.find((one) => String(one.turn) === number);
    if (turn) showTip(frame, turn, event);
  };
  frame.addEventListener("pointerover", over, { signal });
  frame.addEventListener("pointerout", () => hideTip(frame), { signal });
}

/** The tip over a turn of a frame, beside the pointer and inside the frame; `more` crops lie there too. */
export function showTip(frame, turn, event, more = 0) {
  const { title, tool, text } = tipOf(turn);
  const tip = document.createElement("div");
  tip.className = "frame__tip glass";
  const name = document.createElement("b");
  name.textContent = title;
  const others = more ? tn("%(count)s more here; click again for the next", "%(count)s more here; click again for the next", more) : "";
  tip.append(name, tool ? ` ${tool}` : "", document.createElement("br"), [text, others].filter(Boolean).join(" · "));
  hideTip(frame);
  frame.append(tip);
  const around = frame.getBoundingClientRect();
  const x = Math.min(event.clientX - around.left + 14, around.width - tip.offsetWidth - 8);
  const y = Math.min(event.clientY - around.top + 14, around.height - tip.offsetHeight - 8);
  tip.style.left = `${Math.max(8, x)}px`;
  tip.style.top = `${Math.max(8, y)}px`;
}

export function hideTip(frame) {
  frame.querySelector(".frame__tip")?.remove();
}
