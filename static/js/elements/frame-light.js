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

/** The turn in focus, or none, wherever else the page shows it: its card, its words, the slider. */
export function showOnPage(turn) {
  const slider = document.querySelector("[data-turns]");
  if (slider && turn !== null) slider.value = turn;
  for (const one of document.querySelectorAll("[data-turn]:not(g)")) {
    const on = turn !== null && Number(one.dataset.turn) === turn;
    one.classList.toggle("is-on", on);
    if (on) one.setAttribute("aria-current", "true");
    else one.removeAttribute("aria-current");
    if (on) one.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}
