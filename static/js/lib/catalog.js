/**
 * The catalog of the texts of scripts. A page in another language than English names it in `data-texts` of its root; English
 * has none, as a text is its own name. Modules that import this one run when the catalog is there.
 */

/** Without an address, or if the catalog can't be read, texts are English. */
async function catalogAt(address) {
  if (!address) return {};
  try {
    const answer = await fetch(address);
    if (answer.ok) return await answer.json();
    console.warn(`${address}: ${answer.status}; texts of scripts are English.`);
  } catch (error) {
    console.warn(`${address}: ${error.message}; texts of scripts are English.`);
  }
  return {};
}

export const catalog = await catalogAt(globalThis.document?.documentElement.dataset.texts);
