/** The end of a toolchain beside the answer, in words. `measured`: [name, number] of the last step. */

import { anyOf, t } from "../lib/t.js";

const said = (answers) => anyOf(answers.map((one) => `“${one}”`));
const figures = (measured) => measured.map(([name, value]) => `${name.replaceAll("_", " ")} ${typeof value === "number" ? Number(value.toFixed(2)) : value}`).join(", ");

/** What the last step measured and what the answer is. `end`: {measured, agrees, observed, image}, or null before it ran
 * in full. */
export function endWords(end, answers) {
  if (!end || (!answers.length && !end.measured.length)) return "";
  const { agrees, observed, measured, image } = end;
  const answer = said(answers);
  if (agrees) return t("Measured: %(observed)s · Gold: %(answer)s · matches", { observed, answer });
  if (agrees === false) return t("Measured: %(observed)s · Gold: %(answer)s · does not match", { observed, answer });
  const measures = measured.length
    ? t("The last step measures %(figures)s.", { figures: figures(measured) })
    : t("The last step measures nothing.");
  if (!answers.length) return `${measures} ${t("The sample has no answer yet.")}`;
  const asks = image ? t("Another person must answer the question from the last image.") : t("This can't be compared with the answer.");
  return `${measures} ${asks}`;
}

/** Who verified a toolchain and how, or why it is not verified. `day`: the date as text. */
export function markWords(mark, day) {
  const { by, how, answer, observed, reason, shows } = mark;
  if (!shows) return otherwiseWords(mark, day);
  const verified = t("Verified by %(name)s on %(day)s.", { name: by, day });
  const shown = said(answer);
  if (how === "measured") return `${verified} ${t("It replays, and the last step measures the answer: %(observed)s, %(answer)s.", { observed, answer: shown })}`;
  if (how === "blind") return `${verified} ${t("It replays, and a person answered %(answer)s from the last image alone.", { answer: shown })}`;
  const words = answer.length
    ? t("It replays, and the last step shows the answer, %(answer)s.", { answer: shown })
    : t("It replays, and the last step shows the answer.");
  return [verified, words, reason && t("Reason: %(reason)s", { reason })].filter(Boolean).join(" ");
}

function otherwiseWords({ by, observed, measured }, day) {
  const values = { name: by, day, measured, observed: said([observed]) };
  return measured
    ? t("Not verified: the last step measures %(measured)s. %(name)s gave the gold answer from the last image alone on %(day)s.", values)
    : t("Not verified: %(name)s answered %(observed)s from the last image alone on %(day)s.", values);
}

/** The same in few words: "measured by Rui on 3 Nov 2026". */
export const markedWords = ({ by, how, shows, measured }, day) => {
  const values = { name: by, day, measured };
  if (!shows) return measured ? t("the last step measures %(measured)s", values) : t("answered otherwise by %(name)s", values);
  if (how === "measured") return t("measured by %(name)s on %(day)s", values);
  return how === "blind" ? t("answered from the last image by %(name)s on %(day)s", values) : t("seen by %(name)s on %(day)s", values);
};
