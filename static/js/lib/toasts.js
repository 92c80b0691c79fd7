import { t } from "./t.js";

const KEPT = "toast";

/** Show a sentence at the edge of the page. A failure replaces the last one. */
export function tell(words, { failed = false, stays = false } = {}) {
  const toasts = document.getElementById("toasts");
  if (!toasts) return;
  const toast = document.createElement("sightline-toast");
  toast.className = "toast";
  if (failed) toast.dataset.failed = "";
  if (stays) toast.dataset.stays = "";
  const text = document.createElement("span");
  text.className = "toast__text";
  text.textContent = words;
  const close = document.createElement("button");
  close.type = "button";
  close.className = "btn btn--sm";
  close.textContent = t("Close");
  close.hidden = true;
  toast.append(text, close);
  if (failed) toasts.querySelector("[data-failed]")?.remove();
  toasts.append(toast);
}

/** Keep a sentence for the page that comes next. */
export function keepForNext(words) {
  try {
    sessionStorage.setItem(KEPT, words);
  } catch {
    tell(words, { stays: true });
  }
}

/** Show the sentence that was kept for this page, until it is closed. */
export function showKept() {
  try {
    const words = sessionStorage.getItem(KEPT);
    sessionStorage.removeItem(KEPT);
    if (words) tell(words, { stays: true });
  } catch {
    // Without a store, it was shown before.
  }
}
