/** Percent with one decimal, of a share or null. */
export const percent = (share) => (share === null ? "n/a" : (100 * share).toFixed(1));

/**
 * A share with what undecided answers leave open of it: "54.6 (54.6–57.9)". Of a provisional run that alone, and "n/a"
 * where it is not known.
 */
export function rate({ share, range }, provisional = false) {
  if (share === null || (provisional && !range)) return "n/a";
  const spread = range && range[1] - range[0] > 1e-9 ? range.map(percent).join("–") : "";
  if (!spread) return percent(share);
  return provisional ? spread : `${percent(share)} (${spread})`;
}

/** The quadrants at any threshold, from counts at 0.00, 0.01, …, 1.00 in the order G+A+, G+A-, G-A+, G-A-. */
export class Thresholds {
  #counts;
  #intervals;
  #differences;
  #open;
  #ranks;
  #list;

  /**
   * @param {{counts: number[][], intervals: ([number, number]|null)[][]|null,
   *   differences: [string, string, string][]|null, open: [number, number][]|null, ranks: number[]|null, list: string}}
   *   data
   * per threshold the counts, the intervals of their shares, the words of the difference between accuracy when grounded
   * and when ungrounded, the undecided answers among G+A- and among G-A-, and the rank of the run, where they are known;
   * the address of the run's trajectories
   */
  constructor({ counts, intervals, differences, open, ranks, list }) {
    this.#counts = counts;
    this.#intervals = intervals ?? null;
    this.#differences = differences ?? null;
    this.#open = open ?? null;
    this.#ranks = ranks ?? null;
    this.#list = list;
  }

  /**
   * What the four cells say at a threshold: count, share (null without a population), the range that undecided answers
   * leave open of the share and its interval (null where they are not known) and the list of exactly these.
   */
  at(threshold) {
    const step = this.#step(threshold);
    const counts = this.#counts[step];
    const whole = counts.reduce((sum, n) => sum + n, 0);
    const open = this.#open?.[step];
    // An undecided answer is counted as wrong, so the second cell of a row could have fewer and the first more.
    const range = (count, n, wrong) => (wrong ? [(count - n) / whole, count / whole] : [count / whole, (count + n) / whole]);
    return counts.map((count, place) => ({
      count,
      share: whole ? count / whole : null,
      range: whole && open ? range(count, open[place >> 1], place % 2) : null,
      interval: this.#intervals?.[step]?.[place] ?? null,
      href: this.#address(threshold, place),
    }));
  }

  /**
   * The accuracy among the grounded and among the others: share (null where there are none) and the range that undecided
   * answers leave open of it (null where that is not known).
   */
  accuracyWhen(threshold) {
    const step = this.#step(threshold);
    const [seenRight, seenWrong, missedRight, missedWrong] = this.#counts[step];
    const open = this.#open?.[step];
    const among = (right, wrong, undecided) => {
      const n = right + wrong;
      if (!n) return { share: null, range: null };
      return { share: right / n, range: open ? [right / n, (right + undecided) / n] : null };
    };
    return {
      grounded: among(seenRight, seenWrong, open?.[0]),
      ungrounded: among(missedRight, missedWrong, open?.[1]),
    };
  }

  /** Their difference, the odds ratio and what is left open of the difference in words, null where they are not known. */
  difference(threshold) {
    return this.#differences?.[this.#step(threshold)] ?? null;
  }

  /** The rank of the run among all by its share of G+A+, null where it is not known. */
  rank(threshold) {
    return this.#ranks?.[this.#step(threshold)] || null;
  }

  #step(threshold) {
    return Math.round(threshold * (this.#counts.length - 1));
  }

  #address(threshold, place) {
    const grounded = place < 2 ? "ioa_above" : "ioa_upto";
    const right = place % 2 ? "no" : "yes";
    return `${this.#list}&population=yes&${grounded}=${threshold.toFixed(2)}&right=${right}`;
  }
}
