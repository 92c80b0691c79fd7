import { tipOf } from "../models/marks.js";

/** The tip over a turn of a frame, beside the pointer and inside the frame. */
export function showTip(frame, turn, event) {
  const { title, tool, text } = tipOf(turn);
  const tip = document.createElement("div");
  tip.className = "frame__tip glass";
  const name = document.createElement("b");
  name.textContent = title;
  tip.append(name, tool ? ` ${tool}` : "", document.createElement("br"), text);
  frame.querySelector(".frame__tip")?.remove();
  frame.append(tip);
  const around = frame.getBoundingClientRect();
  const x = Math.min(event.clientX - around.left + 14, around.width - tip.offsetWidth - 8);
  const y = Math.min(event.clientY - around.top + 14, around.height - tip.offsetHeight - 8);
  tip.style.left = `${Math.max(8, x)}px`;
  tip.style.top = `${Math.max(8, y)}px`;
}
