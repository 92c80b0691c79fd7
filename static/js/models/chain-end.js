/** The end of a toolchain beside the answer, in words. `measured`: [name, number] of the last step. */

const said = (answers) => answers.map((one) => `“${one}”`).join(" or ");
const figures = (measured) => measured.map(([name, value]) => `${name.replaceAll("_", " ")} ${Number(value.toFixed(2))}`).join(", ");

/** What the last step measured and what the answer is. `end`: {measured, agrees}, or null before it ran in full. */
export function endWords(end, answers) {
  if (!end || (!answers.length && !end.measured.length)) return "";
  const measures = end.measured.length ? `The last step measures ${figures(end.measured)}.` : "The last step measures nothing.";
  if (!answers.length) return `${measures} The sample has no answer yet.`;
  if (end.agrees) return `${measures} This matches the answer, ${said(answers)}.`;
  if (end.agrees === false) return `${measures} The answer is ${said(answers)}.`;
  return `${measures} The answer is ${said(answers)}; compare them.`;
}

/** Who verified a chain and how. `day`: the date in words. */
export function markWords({ by, kind, answer, measured, reason }, day) {
  if (kind === "compared") return `Verified by ${by} on ${day}. It replays, and the last step measures the answer: ${figures(measured)}, ${said(answer)}.`;
  const because = reason ? ` Reason: ${reason}` : "";
  return `Verified by ${by} on ${day}. It replays, and the last step shows the answer${answer.length ? `, ${said(answer)}` : ""}.${because}`;
}
