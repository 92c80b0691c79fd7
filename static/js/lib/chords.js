/** Keys with what is held beside them, written as people read them: "B", "Shift+S", "Ctrl+Enter". */

const ALONE = new Set(["Control", "Shift", "Alt", "Meta", "AltGraph", "CapsLock", "Dead", "Process", "Unidentified"]);

/** What a key press is written as, or "" while only Shift and the like are down. */
export function chordOf(event) {
  const { key } = event;
  if (!key || ALONE.has(key)) return "";
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
