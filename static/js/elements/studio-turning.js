/** What of a studio's page is another on the next sample's. */
const PARTS = ["nav.crumbs", "#saving", "#studio-page"];

/**
 * Go on to another sample's page without loading everything again: `html` is that page. Going back loads the page before.
 * Returns whether it could be done; else nothing is changed.
 */
export function turnTo(address, html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const pairs = PARTS.map((part) => [document.querySelector(part), page.querySelector(part)]);
  if (pairs.some(([old, fresh]) => !old || !fresh)) return false;
  history.pushState(null, "", address);
  document.title = page.title;
  for (const [old, fresh] of pairs) old.replaceWith(document.adoptNode(fresh));
  document.getElementById("main").focus({ preventScroll: true });
  return true;
}
