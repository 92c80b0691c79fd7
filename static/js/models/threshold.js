/** The quadrants at any threshold, from counts at 0.00, 0.01, …, 1.00 in the order G+A+, G+A-, G-A+, G-A-. */
export class Thresholds {
  #counts;
  #intervals;
  #differences;
  #ranks;
  #list;

  /**
   * @param {{counts: number[][], intervals: ([number, number]|null)[][]|null,
   *   differences: [string, string][]|null, ranks: number[]|null, list: string}} data
   * per threshold the counts, the intervals of their shares, the words of the difference between right when grounded and
   * when not, and the rank of the run, where they are known; the address of the run's trajectories
   */
  constructor({ counts, intervals, differences, ranks, list }) {
    this.#counts = counts;
    this.#intervals = intervals ?? null;
    this.#differences = differences ?? null;
    this.#ranks = ranks ?? null;
    this.#list = list;
  }

  /**
   * What the four cells say at a threshold: count, share (null without a population), the interval of the share (null
   * where it is not known) and the list of exactly these.
   */
  at(threshold) {
    const step = this.#step(threshold);
    const counts = this.#counts[step];
    const whole = counts.reduce((sum, n) => sum + n, 0);
    return counts.map((count, place) => ({
      count,
      share: whole ? count / whole : null,
      interval: this.#intervals?.[step]?.[place] ?? null,
      href: this.#address(threshold, place),
    }));
  }

  /** The shares of right answers among the grounded and among the others, null where there are none. */
  rightWhen(threshold) {
    const [seenRight, seenWrong, missedRight, missedWrong] = this.#counts[this.#step(threshold)];
    const share = (right, wrong) => (right + wrong ? right / (right + wrong) : null);
    return { grounded: share(seenRight, seenWrong), not: share(missedRight, missedWrong) };
  }

  /** Their difference and the odds ratio in words, null where they are not known. */
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
