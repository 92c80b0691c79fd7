import { toClipboard } from "../lib/clipboard.js";
import { t } from "../lib/t.js";

/** The buttons on the glass of a frame. `link` gives the address of what is seen now, which is copied. */
export function frameTools(viewer, link) {
  const tools = document.createElement("div");
  tools.className = "frame__tools glass";
  const button = (words, label, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "btn btn--sm";
    made.textContent = words;
    made.setAttribute("aria-label", label);
    made.addEventListener("click", () => act(made));
    return made;
  };
  tools.append(
    button("−", t("Zoom out"), () => viewer.magnify(1 / 1.5)),
    document.createElement("output"),
    button("+", t("Zoom in"), () => viewer.magnify(1.5)),
    button(t("Fit"), t("Fit image"), () => viewer.fit()),
    button(t("Link"), t("Copy a link to this turn and region"), (made) => copy(link(), made)),
  );
  return tools;
}

/** Where the clipboard is closed the link still stands in the address bar. */
async function copy(address, button) {
  button.textContent = (await toClipboard(address)) ? t("Copied") : t("See address bar");
}
