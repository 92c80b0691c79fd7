import { t } from "../lib/t.js";
import { send } from "./review-send.js";

/** The dialog in which a problem of the sample is reported to the lead: #report with a form of one text. */
export function listenForReport(signal) {
  const dialog = document.getElementById("report");
  dialog?.querySelector("form").addEventListener("submit", (event) => reported(event, dialog), { signal });
  dialog?.addEventListener("close", () => say(dialog, "", ""), { signal });
}

/** Open it, as by key. */
export function openReport() {
  document.getElementById("report")?.showModal();
}

async function reported(event, dialog) {
  event.preventDefault();
  const field = dialog.querySelector("textarea");
  const { ok, trouble } = await send(dialog.dataset.url, { text: field.value.trim() });
  if (ok) field.value = "";
  say(dialog, trouble, ok ? t("Reported to the lead.") : "");
}

function say(dialog, trouble, done) {
  dialog.querySelector("[data-part=problem]").textContent = trouble;
  dialog.querySelector("[data-part=done]").textContent = done;
}
