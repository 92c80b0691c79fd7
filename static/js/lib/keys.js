/** Single keys: what was pressed, and when it does not count. */

const TEXT_INPUTS = new Set(["text", "search", "email", "password", "number", "url", "tel", "date", ""]);

/** Whether keys go into this element as text. `target` is anything with tagName, type and isContentEditable. */
export function isTyping(target) {
  if (!target?.tagName) return false;
  if (target.isContentEditable) return true;
  const tag = target.tagName.toLowerCase();
  if (tag === "textarea" || tag === "select") return true;
  return tag === "input" && TEXT_INPUTS.has(target.type ?? "");
}

/** The single key of an event, in lower case, or "" when it is none of ours. */
export function singleKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.isComposing) return "";
  return isTyping(event.target) ? "" : event.key.length === 1 ? event.key.toLowerCase() : event.key;
}
