import { tell } from "../lib/toasts.js";
import { t } from "../lib/t.js";

const SLOW = 150;

const UNREACHED = t("No response from the server. Try again.");

/**
 * What htmx asks for: after a moment its button and the place it fills are busy, and a request that fails says so.
 * Requests of the page itself, which come again, stay silent.
 */
export function watchRequests(root) {
  const waiting = new Map();

  root.addEventListener("htmx:beforeRequest", ({ detail }) => {
    const places = [detail.target, buttonOf(detail)].filter(Boolean);
    const timer = setTimeout(() => places.forEach((one) => one.setAttribute("aria-busy", "true")), SLOW);
    waiting.set(detail.xhr, { places, timer });
  });
  root.addEventListener("htmx:afterRequest", ({ detail }) => {
    const { places = [], timer } = waiting.get(detail.xhr) ?? {};
    clearTimeout(timer);
    waiting.delete(detail.xhr);
    // A place that is asked for again meanwhile goes on being busy.
    const asked = new Set([...waiting.values()].flatMap((one) => one.places));
    for (const one of places) if (!asked.has(one)) one.removeAttribute("aria-busy");
  });
  for (const name of ["htmx:sendError", "htmx:timeout"]) {
    root.addEventListener(name, ({ detail }) => byHand(detail) && tell(UNREACHED, { failed: true }));
  }
  root.addEventListener("htmx:responseError", ({ detail }) => {
    if (detail.xhr.status === 401) root.dispatchEvent(new Event("signedout"));
    if (byHand(detail)) tell(reason(detail.xhr), { failed: true });
  });
}

const byHand = ({ requestConfig }) => Boolean(requestConfig?.triggeringEvent);

const buttonOf = ({ requestConfig, elt }) =>
  requestConfig?.triggeringEvent?.submitter ?? (elt.matches("button") ? elt : elt.querySelector(":scope > button[type=submit]"));

/** What the stop page says, which is the answer. */
function reason({ responseText, status }) {
  const page = new DOMParser().parseFromString(responseText, "text/html");
  const words = [...page.querySelectorAll(".stop h1, .stop h1 + p")].map((one) => one.textContent.trim());
  return words.length ? words.join(". ") : t("The server returned an error (%(status)s). Try again.", { status });
}
