// A line of tabs that is wider than the window begins at the current one, so that a narrow screen says where one is.

export function showCurrentTabs(root) {
  for (const strip of root.querySelectorAll(".tabs")) {
    const current = strip.querySelector("[aria-current]");
    if (current && strip.scrollWidth > strip.clientWidth) {
      const room = strip.clientWidth - current.offsetWidth;
      strip.scrollLeft = current.offsetLeft - strip.offsetLeft - room / 2;
    }
  }
}
