/** Keys with what is held beside them, written as people read them: "B", "Shift+S", "Ctrl+Enter". */

const ALONE = new Set(["Control", "Shift", "Alt", "Meta", "AltGraph", "CapsLock", "Dead", "Process", "Unidentified"]);

/** The Latin letter on the key, where the layout types another script by it. */
function latin({ key, code }) {
  const other = key.length === 1 && key > "\u024f" && key.toUpperCase() !== key.toLowerCase();
  return (other && /^Key([A-Z])$/.exec(code ?? "")?.[1]) || key;
}

/**
 * What a key press is written as, or "" while only Shift and the like are down. Caps Lock changes nothing: which key it is
 * and what is held beside it decide.
 */
export function chordOf(event) {
  if (!event.key || ALONE.has(event.key)) return "";
  const key = latin(event);
  const isSign = key.length === 1 && key.toUpperCase() === key.toLowerCase();
  const held = [
    ["Ctrl", event.ctrlKey || event.metaKey],
    ["Alt", event.altKey],
    // A sign like ? is one key, whatever has to be held for it; with a letter Shift says something.
    ["Shift", event.shiftKey && (!isSign || key === " ")],
  ];
  const name = key === " " ? "Space" : key.length === 1 ? key.toUpperCase() : key;
  return [...held.filter(([, down]) => down).map(([word]) => word), name].join("+");
}

/** The keys of a chord one by one, for showing: "Ctrl++" as Ctrl and +. */
export const keysOf = (chord) => chord.split(/(?<=.)\+(?=.)/);
