import { singleKey } from "../lib/keys.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** What a key press in the studio asks for, as [name, …values]; null when it is none of the studio's. */
export function askedBy(event) {
  const control = event.ctrlKey || event.metaKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (control && key === "Enter") return ["submit"];
  if (control && key === "z") return [event.shiftKey ? "redo" : "undo"];
  if (control && key === "y") return ["redo"];
  if (control && key === "d") return ["duplicate"];
  if (control) return null;
  // A target of the tool plan has arrows and Delete of its own.
  if (event.target.closest(".plan-target")) return null;
  const arrow = ARROWS[event.key];
  if (arrow && !event.target.closest("input, textarea, select")) {
    const by = arrow.map((one) => one * (event.shiftKey ? 10 : 1));
    return [event.altKey ? "grow" : "nudge", ...by];
  }
  if (event.key === "Escape") return ["escape"];
  return simple(singleKey(event), event.shiftKey);
}

function simple(key, shift) {
  if (key === "s") return [shift ? "adopt-all" : "adopt"];
  const name = { b: "box", h: "hand", f: "fit", g: "evidence", m: "eye", r: "turn", "+": "closer", "=": "closer", "-": "farther", v: "suggestions", c: "comment", Delete: "delete", Backspace: "delete" }[key];
  if (name) return [name];
  return /^[1-9]$/.test(key) ? ["facet", Number(key)] : null;
}

export const KEYS = [
  ["B", "box by drag; again: a box in the middle"],
  ["H", "move the picture"],
  ["← → ↑ ↓", "nudge the box by 1 px, Shift 10 px"],
  ["Alt ←", "resize the box"],
  ["Delete", "delete the box"],
  ["Ctrl D", "duplicate the box"],
  ["S", "adopt the first suggested box, Shift all of them"],
  ["V", "hide or show suggested boxes"],
  ["C", "comment on a place"],
  ["Tab", "next box or field"],
  ["Escape", "let go of the box"],
  ["F", "fit the picture"],
  ["G", "to the evidence"],
  ["M", "model’s eye"],
  ["R", "turn the view"],
  ["+ −", "magnify"],
  ["1 … 9", "value of the first facet"],
  ["Alt ↑", "move an option or a target"],
  ["Ctrl Z", "undo"],
  ["Ctrl Y", "redo"],
  ["Ctrl Enter", "submit and next"],
];
