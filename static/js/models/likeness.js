import { t } from "../lib/t.js";

/** How a distractor resembles a target, as people read it. */
export const LIKENESS = {
  visual: () => t("looks alike"),
  functional: () => t("does something similar"),
  domain: () => t("same trade"),
};
