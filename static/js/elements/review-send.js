import { sendJson } from "../lib/request.js";
import { t } from "../lib/t.js";

const KEPT = t("Everything you typed is kept. Send it again.");
const AWAY = `${t("No response from the server.")} ${KEPT}`;

/** What every request of ours carries: the form's token, which base.html puts on the page of who is signed in. */
export const token = () => document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";

/**
 * Post JSON.
 * @returns {Promise<{ok: boolean, status: number, data: object, trouble: string}>} trouble: a sentence for people
 */
export async function send(url, body, key = "") {
  let answer;
  try {
    answer = await sendJson("POST", url, body, { token: token(), key });
  } catch (error) {
    console.warn(error.message);
    return { ok: false, status: 0, data: {}, trouble: AWAY };
  }
  const { status, data } = answer;
  const ok = status < 300;
  return { ok, status, data, trouble: ok ? "" : (data.error?.message ?? `${t("The server returned an error (%(status)s).", { status })} ${KEPT}`) };
}
