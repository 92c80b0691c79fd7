/** The part of an address after "#", as names and values: "#turn=3". */

/** The turn that a hash names, or null. */
export function turnOf(hash) {
  const turn = new URLSearchParams(hash.replace(/^#/, "")).get("turn");
  return turn !== null && /^\d+$/.test(turn) ? Number(turn) : null;
}

export const hashOf = (turn) => (turn === null ? "" : `#turn=${turn}`);
