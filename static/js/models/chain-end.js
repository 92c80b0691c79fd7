/** The end of a toolchain beside the answer, in words. `measured`: [name, number] of the last step. */

import { anyOf, t } from "../lib/t.js";

const said = (answers) => anyOf(answers.map((one) => `“${one}”`));
const figures = (measured) => measured.map(([name, value]) => `${name.replaceAll("_", " ")} ${Number(value.toFixed(2))}`).join(", ");

/** What the last step measured and what the answer is. `end`: {measured, agrees}, or null before it ran in full. */
export function endWords(end, answers) {
  if (!end || (!answers.length && !end.measured.length)) return "";
  const measures = end.measured.length
    ? t("The last step measures %(figures)s.", { figures: figures(end.measured) })
    : t("The last step measures nothing.");
  return `${measures} ${answerWords(end, answers)}`;
}

function answerWords({ agrees }, answers) {
  if (!answers.length) return t("The sample has no answer yet.");
  const answer = said(answers);
  if (agrees) return t("This matches the answer, %(answer)s.", { answer });
  return agrees === false ? t("The answer is %(answer)s.", { answer }) : t("The answer is %(answer)s; compare them.", { answer });
}

/** Who verified a chain and how. `day`: the date in words. */
export function markWords({ by, kind, answer, measured, reason }, day) {
  const verified = t("Verified by %(name)s on %(day)s.", { name: by, day });
  if (kind === "compared") {
    const values = { figures: figures(measured), answer: said(answer) };
    return `${verified} ${t("It replays, and the last step measures the answer: %(figures)s, %(answer)s.", values)}`;
  }
  const shows = answer.length
    ? t("It replays, and the last step shows the answer, %(answer)s.", { answer: said(answer) })
    : t("It replays, and the last step shows the answer.");
  return [verified, shows, reason && t("Reason: %(reason)s", { reason })].filter(Boolean).join(" ");
}

/** The same in few words: "compared by Rui on 3 Nov 2026". */
export const markedWords = ({ by, kind }, day) =>
  kind === "compared" ? t("compared by %(name)s on %(day)s", { name: by, day }) : t("confirmed by %(name)s on %(day)s", { name: by, day });
