const LONGEST = 20_000;

/** A name for one act, so that doing it again counts once. */
// crypto.randomUUID is there on https and localhost only.
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * Send JSON and get {status, data}; `data` is {} where the answer is no JSON. Rejects when there is no answer at all,
 * which is after 20 s, or `longest` ms, at the latest. With `keepalive` it is sent also while the page is being left.
 */
export async function sendJson(method, url, body, { token, key, keepalive = false, longest = LONGEST }) {
  const headers = { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": token };
  if (key) headers["Idempotency-Key"] = key;
  const answer = await fetch(url, {
    method,
    headers,
    body: JSON.stringify(body),
    credentials: "same-origin",
    keepalive,
    signal: AbortSignal.timeout(longest),
  });
  // The page asks the person to sign in again (elements/session.js).
  if (answer.status === 401) document.dispatchEvent(new Event("signedout"));
  const text = await answer.text();
  const isJson = (answer.headers.get("Content-Type") ?? "").includes("json");
  return { status: answer.status, data: isJson ? JSON.parse(text) : {} };
}
