/**
 * Buttons with data-opens="id" open a dialog, and so do links, which lead to a page of the same without scripts or in another tab;
 * a button with data-closes inside it, or its ground, closes it.
 */
export function listenForDialogs(root) {
  root.addEventListener("click", (event) => {
    const { target } = event;
    const opener = target.closest("[data-opens]");
    if (opener?.href && (event.ctrlKey || event.metaKey || event.shiftKey)) return;
    if (opener) {
      event.preventDefault();
      root.getElementById(opener.dataset.opens)?.showModal();
    } else if (target.closest("[data-closes]") || target.matches("dialog")) target.closest("dialog")?.close();
  });
}
