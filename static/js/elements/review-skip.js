import { send } from "./review-send.js";

/** The dialog in which a reviewer passes a sample by: #skip with a form of one reason. Without it nothing can be skipped. */
export function listenForSkip({ skip, queue }, seat, signal) {
  const dialog = document.getElementById("skip");
  dialog?.querySelector("form").addEventListener("submit", (event) => skipped(event, dialog, { skip, queue }, seat), { signal });
}

async function skipped(event, dialog, urls, seat) {
  event.preventDefault();
  const { ok, trouble } = await send(urls.skip, { reason: dialog.querySelector("textarea").value });
  dialog.querySelector("[data-part=problem]").textContent = trouble;
  if (!ok) return;
  seat.goOn();
  location.assign(urls.queue);
}
