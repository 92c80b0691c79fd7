/** A second press so soon after the first is the same one: the page that answers the first has not arrived yet. */
const SOON = 1000;

/**
 * Send a form once, however often its button is pressed: a double click would ask for the same thing twice, and the page
 * would show what became of the second request. Forms whose script sends them are left alone.
 *
 * @param {Document} page
 */
export function sendOnce(page) {
  /** @type {WeakMap<EventTarget, number>} */
  const sent = new WeakMap();
  page.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || !(form instanceof HTMLFormElement) || form.method !== "post") return;
    if (event.timeStamp - (sent.get(form) ?? -SOON) < SOON) event.preventDefault();
    else sent.set(form, event.timeStamp);
  });
}
