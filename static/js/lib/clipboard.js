/** Puts a text on the clipboard; false where that is closed, as on a page that came without encryption. */
export async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
