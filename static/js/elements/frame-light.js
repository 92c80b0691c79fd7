/** Under the pointer a turn lights up wherever it is shown: its box in the frame, its card, its words. */
export function lightTogether(signal) {
  const light = (event, on) => {
    const turn = event.target.closest?.("[data-turn]")?.dataset.turn;
    if (!turn) return;
    for (const one of document.querySelectorAll(`[data-turn="${CSS.escape(turn)}"]`)) one.classList.toggle("is-lit", on);
  };
  document.addEventListener("pointerover", (event) => light(event, true), { signal });
  document.addEventListener("pointerout", (event) => light(event, false), { signal });
}
