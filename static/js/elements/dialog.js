/** Buttons with data-opens="id" open a dialog; a button with data-closes inside it, or its ground, closes it. */
export function listenForDialogs(root) {
  root.addEventListener("click", ({ target }) => {
    const opener = target.closest("[data-opens]");
    if (opener) root.getElementById(opener.dataset.opens)?.showModal();
    else if (target.closest("[data-closes]") || target.matches("dialog")) target.closest("dialog")?.close();
  });
}
